package org.reprobe.plots;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOInvalidTreeException;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.util.Matrix;

/** Drawings as files. */
final class Canvas {
    private static final double DOTS_A_POINT = 200 / 72.0;

    private static final int DOTS_PER_METRE = (int) Math.round(200 / 0.0254);

    private Canvas() {}

    /** Returns an SVG document with text as text; {@code title} is its accessible name. */
    static String svg(Drawing drawing, String title) throws IOException {
        SvgGraphics graphics = new SvgGraphics(drawing);
        drawing.painter().accept(graphics);
        return graphics.document(
                title, length(drawing.width(), drawing.unitPt()), length(drawing.height(), drawing.unitPt()));
    }

    /** Returns a PDF of one page of the drawing's size, with its fonts and {@code title}; deterministic. */
    static byte[] pdf(Drawing drawing, String title) throws IOException {
        try (PDDocument document = new PDDocument()) {
            float unitPt = (float) drawing.unitPt();
            PDPage page = new PDPage(new PDRectangle(drawing.width() * unitPt, drawing.height() * unitPt));
            document.addPage(page);
            document.getDocumentInformation().setTitle(title);
            document.getDocumentInformation().setProducer("Reprobe");
            // The default identifier depends on the clock.
            document.setDocumentId(0L);
            PdfGraphics graphics = new PdfGraphics(document, drawing);
            drawing.painter().accept(graphics);
            graphics.dispose();
            try (PDPageContentStream content = new PDPageContentStream(document, page)) {
                content.transform(Matrix.getScaleInstance(unitPt, unitPt));
                content.drawForm(graphics.getXFormObject());
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            document.save(bytes);
            return bytes.toByteArray();
        }
    }

    /** Returns a length, without a unit for pages that scale it. */
    private static String length(int units, double unitPt) {
        return unitPt == 1 ? Integer.toString(units) : String.format(Locale.ROOT, "%.2fpt", units * unitPt);
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** Returns a PNG of 200 dots per inch, with text as outlines. */
    static byte[] png(Drawing drawing) throws IOException {
        double scale = drawing.unitPt() * DOTS_A_POINT;
        BufferedImage image = new BufferedImage(
                (int) Math.round(drawing.width() * scale),
                (int) Math.round(drawing.height() * scale),
                BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
        hint(graphics);
        graphics.scale(scale, scale);
        drawing.painter().accept(graphics);
        graphics.dispose();
        return encoded(image);
    }

    /** Returns graphics for layout only. */
    static Graphics2D ruler() {
        Graphics2D graphics = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        hint(graphics);
        return graphics;
    }

    private static void hint(Graphics2D graphics) {
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.setRenderingHint(RenderingHints.KEY_RENDERING, RenderingHints.VALUE_RENDER_QUALITY);
        // Otherwise XChart lays labels out by whole dots, too close or too wide.
        graphics.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    }

    private static byte[] encoded(BufferedImage image) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        IIOMetadata metadata = writer.getDefaultImageMetadata(
                ImageTypeSpecifier.createFromRenderedImage(image), writer.getDefaultWriteParam());
        IIOMetadataNode density = new IIOMetadataNode("pHYs");
        density.setAttribute("pixelsPerUnitXAxis", Integer.toString(DOTS_PER_METRE));
        density.setAttribute("pixelsPerUnitYAxis", Integer.toString(DOTS_PER_METRE));
        density.setAttribute("unitSpecifier", "meter");
        IIOMetadataNode root = new IIOMetadataNode("javax_imageio_png_1.0");
        root.appendChild(density);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
            metadata.mergeTree("javax_imageio_png_1.0", root);
            writer.setOutput(out);
            writer.write(new IIOImage(image, null, metadata));
        } catch (IIOInvalidTreeException e) {
            throw new IOException(e);
        } finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }
}

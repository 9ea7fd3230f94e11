package org.reprobe.plots;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

/** Drawings as PNG and PDF. */
final class Canvas {
    private static final double DOTS_A_POINT = 200 / 72.0;

    private static final int DOTS_PER_METRE = (int) Math.round(200 / 0.0254);

    private Canvas() {}

    private static void paint(Scene scene, Fonts fonts, Graphics2D g) {
        Plot plot = scene.plot();
        if (plot != null) {
            PanelChart.paint(scene, plot, g);
        }
        for (SceneItem item : scene.items()) {
            switch (item) {
                case Scene group when plot != null && PanelChart.draws(group) -> paintTexts(group, fonts, g);
                case Scene group -> paint(group, fonts, g);
                case Scene.Path path -> paint(path.shape(), path.ink(), g);
                case Scene.Mark mark -> paint(mark.glyph().at(mark.x(), mark.y(), mark.radius()), mark.ink(), g);
                case Scene.Text text -> paint(text, fonts, g);
            }
        }
    }

    private static void paintTexts(Scene group, Fonts fonts, Graphics2D g) {
        for (SceneItem item : group.items()) {
            if (item instanceof Scene.Text text) {
                paint(text, fonts, g);
            }
        }
    }

    static void paint(Shape shape, Ink ink, Graphics2D g) {
        if (ink.opacity() == 0) {
            return;
        }
        Color fill = ink.fill();
        if (fill != null) {
            g.setColor(ink.translucent(fill));
            g.fill(shape);
        }
        Color stroke = ink.stroke();
        if (stroke != null) {
            g.setColor(ink.translucent(stroke));
            g.setStroke(ink.basicStroke());
            g.draw(shape);
        }
    }

    /** Draws a text, in a PDF as text, in a PNG as outlines: independent of font settings. */
    private static void paint(Scene.Text text, Fonts fonts, Graphics2D g) {
        AffineTransform saved = g.getTransform();
        g.translate(text.x(), text.y());
        if (text.upright()) {
            g.rotate(-Math.PI / 2);
        }
        g.translate(-text.anchor() * fonts.width(text.text(), text.face()), 0);
        g.setColor(text.color());
        Font font = fonts.font(text.face());
        if (g instanceof PdfGraphics) {
            g.setFont(font);
            g.drawString(text.text(), 0f, 0f);
        } else {
            g.fill(Fonts.outline(text.text(), font));
        }
        g.setTransform(saved);
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
            paint(drawing.scene(), drawing.fonts(), graphics);
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

    /** Returns a PNG of 200 dots per inch, with text as outlines: it does not depend on font settings. */
    static byte[] png(Drawing drawing) throws IOException {
        double scale = drawing.unitPt() * DOTS_A_POINT;
        BufferedImage image = new BufferedImage(
                (int) Math.round(drawing.width() * scale),
                (int) Math.round(drawing.height() * scale),
                BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.setRenderingHint(RenderingHints.KEY_RENDERING, RenderingHints.VALUE_RENDER_QUALITY);
        graphics.scale(scale, scale);
        paint(drawing.scene(), drawing.fonts(), graphics);
        graphics.dispose();
        return encoded(image);
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

package org.reprobe.plots;

import java.awt.AlphaComposite;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.PathIterator;
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
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType0Font;
import org.apache.pdfbox.pdmodel.graphics.state.PDExtendedGraphicsState;
import org.apache.pdfbox.util.Matrix;

/** Drawings as PNG and PDF. */
final class Canvas {
    private static final double DOTS_A_POINT = 200 / 72.0;

    private static final int DOTS_PER_METRE = (int) Math.round(200 / 0.0254);

    private Canvas() {}

    /** Output of shapes and texts in one colour each, painted over those before. */
    private interface Painter {
        void fill(Shape shape, Color color, double opacity) throws IOException;

        void stroke(Shape shape, Ink ink, Color color) throws IOException;

        void text(Scene.Text text, AffineTransform toBaseline) throws IOException;
    }

    private static void paint(Scene scene, Fonts fonts, Painter painter) throws IOException {
        for (SceneItem item : scene.items()) {
            switch (item) {
                case Scene group -> paint(group, fonts, painter);
                case Scene.Path path -> paint(path.shape(), path.ink(), painter);
                case Scene.Mark mark -> paint(mark.glyph().at(mark.x(), mark.y(), mark.radius()), mark.ink(), painter);
                case Scene.Text text -> {
                    AffineTransform to = AffineTransform.getTranslateInstance(text.x(), text.y());
                    if (text.upright()) {
                        to.rotate(-Math.PI / 2);
                    }
                    to.translate(-text.anchor() * fonts.width(text.text(), text.face()), 0);
                    painter.text(text, to);
                }
            }
        }
    }

    private static void paint(Shape shape, Ink ink, Painter painter) throws IOException {
        Color fill = ink.fill();
        if (fill != null) {
            painter.fill(shape, fill, ink.opacity());
        }
        Color stroke = ink.stroke();
        if (stroke != null) {
            painter.stroke(shape, ink, stroke);
        }
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
            Fonts fonts = drawing.fonts();
            PDFont plain = PDType0Font.load(document, fonts.file(false), true);
            PDFont bold = PDType0Font.load(document, fonts.file(true), true);
            try (PDPageContentStream content = new PDPageContentStream(document, page)) {
                // The origin of a page is at its bottom.
                content.transform(new Matrix(unitPt, 0, 0, -unitPt, 0, drawing.height() * unitPt));
                paint(drawing.scene(), fonts, new PdfPainter(content, plain, bold));
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            document.save(bytes);
            return bytes.toByteArray();
        }
    }

    private static final class PdfPainter implements Painter {
        private final PDPageContentStream content;
        private final PDFont plain;
        private final PDFont bold;
        private double opacity = 1;

        PdfPainter(PDPageContentStream content, PDFont plain, PDFont bold) {
            this.content = content;
            this.plain = plain;
            this.bold = bold;
        }

        @Override
        public void fill(Shape shape, Color color, double opacity) throws IOException {
            opacity(opacity);
            content.setNonStrokingColor(color);
            trace(shape);
            content.fill();
        }

        @Override
        public void stroke(Shape shape, Ink ink, Color color) throws IOException {
            opacity(ink.opacity());
            content.setStrokingColor(color);
            content.setLineWidth((float) ink.width());
            content.setLineJoinStyle(1);
            float[] dash = ink.basicStroke().getDashArray();
            content.setLineDashPattern(dash == null ? new float[0] : dash, 0);
            trace(shape);
            content.stroke();
        }

        private void opacity(double next) throws IOException {
            if (next == opacity) {
                return;
            }
            opacity = next;
            PDExtendedGraphicsState state = new PDExtendedGraphicsState();
            state.setNonStrokingAlphaConstant((float) opacity);
            state.setStrokingAlphaConstant((float) opacity);
            content.setGraphicsStateParameters(state);
        }

        private void trace(Shape shape) throws IOException {
            float[] at = new float[6];
            for (PathIterator path = shape.getPathIterator(null); !path.isDone(); path.next()) {
                switch (path.currentSegment(at)) {
                    case PathIterator.SEG_MOVETO -> content.moveTo(at[0], at[1]);
                    case PathIterator.SEG_LINETO -> content.lineTo(at[0], at[1]);
                    case PathIterator.SEG_CUBICTO -> content.curveTo(at[0], at[1], at[2], at[3], at[4], at[5]);
                    default -> content.closePath();
                }
            }
        }

        @Override
        public void text(Scene.Text text, AffineTransform toBaseline) throws IOException {
            opacity(1);
            AffineTransform upwards = new AffineTransform(toBaseline);
            upwards.scale(1, -1);
            content.beginText();
            content.setNonStrokingColor(text.color());
            content.setFont(
                    text.face().bold() ? bold : plain, (float) text.face().size());
            content.setTextMatrix(new Matrix(upwards));
            content.showText(text.text());
            content.endText();
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
        paint(drawing.scene(), drawing.fonts(), new ImagePainter(graphics, drawing.fonts()));
        graphics.dispose();
        return encoded(image);
    }

    private record ImagePainter(Graphics2D graphics, Fonts fonts) implements Painter {
        @Override
        public void fill(Shape shape, Color color, double opacity) {
            graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, (float) opacity));
            graphics.setColor(color);
            graphics.fill(shape);
        }

        @Override
        public void stroke(Shape shape, Ink ink, Color color) {
            graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, (float) ink.opacity()));
            graphics.setColor(color);
            graphics.setStroke(ink.basicStroke());
            graphics.draw(shape);
        }

        @Override
        public void text(Scene.Text text, AffineTransform toBaseline) {
            Font font = fonts.font(text.face());
            fill(toBaseline.createTransformedShape(Fonts.outline(text.text(), font)), text.color(), 1);
        }
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

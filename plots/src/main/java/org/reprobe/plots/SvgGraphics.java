package org.reprobe.plots;

import java.awt.Graphics;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.io.IOException;
import java.io.StringWriter;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Graphics of an SVG document. Fully transparent shapes are omitted. */
final class SvgGraphics extends SVGGraphics2D implements TextGraphics {
    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final int PRECISION = 2;

    private static final Pattern END_OF_TAG = Pattern.compile("\\n *(/?>)");

    private final Drawing drawing;
    private final TickLabels labels;

    SvgGraphics(Drawing drawing) {
        super(context(), false);
        this.drawing = drawing;
        this.labels = new TickLabels(drawing);
    }

    private SvgGraphics(SvgGraphics of) {
        super(of);
        this.drawing = of.drawing;
        this.labels = of.labels;
    }

    @Override
    public Graphics create() {
        return new SvgGraphics(this);
    }

    private static SVGGeneratorContext context() {
        Document document;
        try {
            document = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("every Java platform has an XML parser", e);
        }
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
        context.setPrecision(PRECISION);
        context.setComment(null);
        return context;
    }

    /** Returns the document, with {@code title} as accessible name; width and height may have a unit. */
    String document(String title, String width, String height) throws IOException {
        Element root = getRoot();
        Element name = root.getOwnerDocument().createElementNS(SVG, "title");
        name.setTextContent(title);
        root.insertBefore(name, root.getFirstChild());
        root.setAttribute("width", width);
        root.setAttribute("height", height);
        root.setAttribute("viewBox", "0 0 " + drawing.width() + " " + drawing.height());
        StringWriter text = new StringWriter();
        stream(root, text, false, false);
        // Without the document type, whose definition a parser would load, and with ends of tags on their tag's line.
        String svg = text.toString().replace("\r\n", "\n");
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + END_OF_TAG
                        .matcher(svg.substring(svg.indexOf("<svg ")))
                        .replaceAll("$1")
                        .replaceAll(
                                "font-family=\"'(Dialog|DejaVu Sans)'\"", "font-family=\"" + Fonts.SVG_FAMILIES + "\"");
    }

    @Override
    public FontRenderContext getFontRenderContext() {
        return Lettering.UNHINTED;
    }

    @Override
    public void fill(Shape shape) {
        if (getColor().getAlpha() != 0 && !labels.write(shape, this)) {
            super.fill(shape);
        }
    }
}

package org.reprobe.plots;

import java.awt.Color;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Drawing as SVG with text as text. A style within it gives it other colours on a dark page. */
final class SvgText {
    private final StringBuilder text = new StringBuilder();
    private final Set<Color> colors = new LinkedHashSet<>();
    private final String prefix;

    private SvgText(String prefix) {
        this.prefix = prefix;
    }

    /** Returns a document; {@code title} is its accessible name. */
    static String document(Drawing drawing, String title) {
        String size = String.format(
                " width=\"%s\" height=\"%s\"",
                length(drawing.width(), drawing.unitPt()), length(drawing.height(), drawing.unitPt()));
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + svg(drawing, size, "<title>" + escaped(title) + "</title>\n", "")
                + "\n";
    }

    /**
     * Returns a part of a page: without fixed size, and with an accessible label instead of a title, which would be a
     * tooltip. Its ids begin with {@code prefix}, since ids must be unique in a page.
     */
    static String inline(Drawing drawing, String prefix, String label, String cssClass) {
        return svg(
                drawing, " class=\"" + cssClass + "\" role=\"img\" aria-label=\"" + escaped(label) + "\"", "", prefix);
    }

    private static String svg(Drawing drawing, String attributes, String title, String prefix) {
        SvgText content = new SvgText(prefix);
        content.append(drawing.scene());
        return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attributes + " viewBox=\"0 0 " + drawing.width() + " "
                + drawing.height() + "\" font-family=\"" + drawing.fonts().families() + "\" fill=\"none\">\n" + title
                + content.darkStyle() + content.text + "</svg>";
    }

    /** Returns a length, without a unit for pages that scale it. */
    private static String length(int units, double unitPt) {
        return unitPt == 1 ? Integer.toString(units) : String.format(Locale.ROOT, "%.2fpt", units * unitPt);
    }

    private String darkStyle() {
        StringBuilder rules = new StringBuilder("<style>@media screen and (prefers-color-scheme: dark) {");
        for (Color color : colors) {
            String light = Ink.hex(color);
            String dark = Ink.hex(Ink.onDark(color));
            rules.append(
                    String.format("%n[fill=\"%1$s\"] { fill: %2$s } [stroke=\"%1$s\"] { stroke: %2$s }", light, dark)
                            .replace("\r\n", "\n"));
        }
        return rules.append(" }</style>\n").toString();
    }

    private void append(Scene group) {
        text.append("<g");
        for (Map.Entry<String, String> attribute : group.attributes().entrySet()) {
            boolean id = attribute.getKey().equals("id");
            text.append(' ').append(attribute.getKey()).append("=\"");
            text.append(id ? prefix : "").append(escaped(attribute.getValue())).append('"');
        }
        text.append(">\n");
        for (SceneItem item : group.items()) {
            switch (item) {
                case Scene inner -> append(inner);
                case Scene.Path path -> append(path);
                case Scene.Mark mark -> append(mark);
                case Scene.Text words -> append(words);
            }
        }
        text.append("</g>\n");
    }

    private void append(Scene.Path path) {
        text.append("<path d=\"");
        for (double[] line : path.lines()) {
            for (int i = 0; i < line.length; i += 2) {
                text.append(i == 0 ? "M" : "L")
                        .append(number(line[i]))
                        .append(' ')
                        .append(number(line[i + 1]));
            }
            text.append(path.closed() ? "z" : "");
        }
        text.append('"');
        end(path.ink(), path.hint(), "path");
    }

    private void append(Scene.Mark mark) {
        text.append("<path transform=\"translate(")
                .append(number(mark.x()))
                .append(' ')
                .append(number(mark.y()));
        text.append(")\" d=\"").append(mark.glyph().data(mark.radius())).append('"');
        end(mark.ink(), mark.hint(), "path");
    }

    private void end(Ink ink, String hint, String element) {
        color("fill", ink.fill());
        color("stroke", ink.stroke());
        if (ink.stroke() != null) {
            text.append(" stroke-width=\"").append(number(ink.width())).append('"');
        }
        if (!ink.dash().isEmpty()) {
            text.append(" stroke-dasharray=\"");
            text.append(String.join(
                            " ", ink.dash().stream().map(SvgText::number).toList()))
                    .append('"');
        }
        if (ink.opacity() < 1) {
            text.append(" opacity=\"").append(number(ink.opacity())).append('"');
        }
        if (hint.isEmpty()) {
            text.append("/>\n");
        } else {
            text.append(" class=\"p\"><title>")
                    .append(escaped(hint))
                    .append("</title></")
                    .append(element)
                    .append(">\n");
        }
    }

    private void append(Scene.Text words) {
        text.append("<text");
        if (words.upright()) {
            text.append(" transform=\"translate(")
                    .append(number(words.x()))
                    .append(' ')
                    .append(number(words.y()));
            text.append(")rotate(-90)\"");
        } else {
            text.append(" x=\"")
                    .append(number(words.x()))
                    .append("\" y=\"")
                    .append(number(words.y()))
                    .append('"');
        }
        if (words.anchor() > 0) {
            text.append(" text-anchor=\"")
                    .append(words.anchor() == 1 ? "end" : "middle")
                    .append('"');
        }
        text.append(" font-size=\"").append(number(words.face().size())).append('"');
        text.append(words.face().bold() ? " font-weight=\"bold\"" : "");
        color("fill", words.color());
        text.append('>').append(escaped(words.text())).append("</text>\n");
    }

    private void color(String attribute, @Nullable Color color) {
        if (color != null) {
            colors.add(color);
            text.append(' ')
                    .append(attribute)
                    .append("=\"")
                    .append(Ink.hex(color))
                    .append('"');
        }
    }

    /** Returns a number with at most two decimals. */
    static String number(double value) {
        String plain = BigDecimal.valueOf(value)
                .setScale(2, RoundingMode.HALF_EVEN)
                .stripTrailingZeros()
                .toPlainString();
        return plain.equals("-0") ? "0" : plain;
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}

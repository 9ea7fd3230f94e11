package org.reprobe.plots;

import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.util.Locale;

/** Marker of a point, distinct in grey and at small size. */
@SuppressWarnings("ImmutableEnumChecker") // the corners are read only here
enum Glyph {
    CIRCLE,
    SQUARE(-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9),
    TRIANGLE(0, -1.15, 1.1, 0.8, -1.1, 0.8),
    DIAMOND(0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0),
    TRIANGLE_DOWN(0, 1.15, 1.1, -0.8, -1.1, -0.8),
    CROSS(-1, -0.5, -0.5, -1, 0, -0.5, 0.5, -1, 1, -0.5, 0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5, -0.5, 1, -1, 0.5, -0.5, 0),
    PENTAGON(0, -1.1, 1.05, -0.34, 0.65, 0.9, -0.65, 0.9, -1.05, -0.34);

    private final double[] corners;

    Glyph(double... corners) {
        this.corners = corners;
    }

    Shape at(double x, double y, double radius) {
        if (this == CIRCLE) {
            return new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius);
        }
        Path2D path = new Path2D.Double();
        path.moveTo(corners[0], corners[1]);
        for (int i = 2; i < corners.length; i += 2) {
            path.lineTo(corners[i], corners[i + 1]);
        }
        path.closePath();
        return new AffineTransform(radius, 0, 0, radius, x, y).createTransformedShape(path);
    }

    /** Returns the data of an SVG path around the origin. */
    String data(double radius) {
        String r = SvgText.number(radius);
        if (this == CIRCLE) {
            return String.format(
                    Locale.ROOT,
                    "M-%1$s 0a%1$s %1$s 0 1 0 %2$s 0a%1$s %1$s 0 1 0-%2$s 0z",
                    r,
                    SvgText.number(2 * radius));
        }
        StringBuilder path = new StringBuilder("M");
        for (int i = 0; i < corners.length; i++) {
            path.append(i == 0 ? "" : i % 2 == 0 ? "L" : " ").append(SvgText.number(radius * corners[i]));
        }
        return path.append("z").toString();
    }
}

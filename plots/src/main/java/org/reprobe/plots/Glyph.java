package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import org.knowm.xchart.style.markers.Marker;

/** Marker of a point: solid for a reproduced value, hollow and slightly larger for a published one. */
final class Glyph extends Marker {
    /** Forms distinct in grey and at small size. */
    @SuppressWarnings("ImmutableEnumChecker") // the corners are read only here
    enum Form {
        CIRCLE,
        SQUARE(-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9),
        TRIANGLE(0, -1.15, 1.1, 0.8, -1.1, 0.8),
        DIAMOND(0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0),
        TRIANGLE_DOWN(0, 1.15, 1.1, -0.8, -1.1, -0.8),
        CROSS(-1, -0.5, -0.5, -1, 0, -0.5, 0.5, -1, 1, -0.5, 0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5, -0.5, 1, -1, 0.5, -0.5, 0),
        PENTAGON(0, -1.1, 1.05, -0.34, 0.65, 0.9, -0.65, 0.9, -1.05, -0.34);

        private final double[] corners;

        Form(double... corners) {
            this.corners = corners;
        }

        private Shape at(double x, double y, double radius) {
            if (this == CIRCLE) {
                return new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius);
            }
            Path2D path = new Path2D.Double();
            path.moveTo(x + radius * corners[0], y + radius * corners[1]);
            for (int i = 2; i < corners.length; i += 2) {
                path.lineTo(x + radius * corners[i], y + radius * corners[i + 1]);
            }
            path.closePath();
            return path;
        }
    }

    private static final BasicStroke HOLLOW_STROKE =
            new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER);

    private final Form form;
    private final boolean hollow;

    Glyph(Form form, boolean hollow) {
        this.form = form;
        this.hollow = hollow;
    }

    @Override
    public void paint(Graphics2D g, double x, double y, int markerSize) {
        if (hollow) {
            g.setStroke(HOLLOW_STROKE);
            g.draw(form.at(x, y, 0.86 * markerSize));
        } else {
            g.fill(form.at(x, y, 0.5 * markerSize));
        }
    }
}

package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import org.knowm.xchart.style.markers.Marker;

/** A point's marker: solid for a reproduced value, hollow and a little larger for a published one. */
final class Glyph extends Marker {
    /** Told apart in grey and at small size. */
    enum Form {
        CIRCLE,
        SQUARE,
        TRIANGLE,
        DIAMOND,
        TRIANGLE_DOWN,
        CROSS,
        PENTAGON
    }

    private static final BasicStroke HOLLOW_STROKE =
            new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER);
    private static final BasicStroke CROSS_STROKE =
            new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);

    private final Form form;
    private final boolean hollow;

    Glyph(Form form, boolean hollow) {
        this.form = form;
        this.hollow = hollow;
    }

    @Override
    public void paint(Graphics2D g, double x, double y, int markerSize) {
        double radius = hollow ? 0.86 * markerSize : 0.5 * markerSize;
        if (form == Form.CIRCLE) {
            Ellipse2D circle = new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius);
            if (hollow) {
                g.setStroke(HOLLOW_STROKE);
                g.draw(circle);
            } else {
                g.fill(circle);
            }
            return;
        }
        if (form == Form.CROSS && !hollow) {
            g.setStroke(CROSS_STROKE);
            double arm = 0.9 * radius;
            g.draw(polygon(x, y, new double[] {-arm, -arm, arm, arm}, false));
            g.draw(polygon(x, y, new double[] {-arm, arm, arm, -arm}, false));
            return;
        }
        Path2D outline = polygon(x, y, corners(radius), true);
        if (hollow) {
            g.setStroke(HOLLOW_STROKE);
            g.draw(outline);
        } else {
            g.fill(outline);
        }
    }

    private double[] corners(double r) {
        double s = 0.9 * r;
        return switch (form) {
            case TRIANGLE -> new double[] {0, -1.15 * r, 1.1 * r, 0.8 * r, -1.1 * r, 0.8 * r};
            case TRIANGLE_DOWN -> new double[] {0, 1.15 * r, 1.1 * r, -0.8 * r, -1.1 * r, -0.8 * r};
            case DIAMOND -> new double[] {0, -1.25 * r, 1.25 * r, 0, 0, 1.25 * r, -1.25 * r, 0};
            case PENTAGON ->
                new double[] {
                    0, -1.1 * r, 1.05 * r, -0.34 * r, 0.65 * r, 0.9 * r, -0.65 * r, 0.9 * r, -1.05 * r, -0.34 * r
                };
            case CIRCLE, SQUARE, CROSS -> new double[] {-s, -s, s, -s, s, s, -s, s};
        };
    }

    private static Path2D polygon(double x, double y, double[] offsets, boolean close) {
        Path2D path = new Path2D.Double();
        path.moveTo(x + offsets[0], y + offsets[1]);
        for (int i = 2; i < offsets.length; i += 2) {
            path.lineTo(x + offsets[i], y + offsets[i + 1]);
        }
        if (close) {
            path.closePath();
        }
        return path;
    }
}

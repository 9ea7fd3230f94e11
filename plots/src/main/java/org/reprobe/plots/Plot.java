package org.reprobe.plots;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Area of a drawing between two axes, in units from the top left. */
record Plot(double left, double top, double width, double height, Axis x, Axis y) {
    /** Radius of markers. */
    static final double MARKER = 4;

    static final Ink THIN = Ink.line(Ink.GRID, 0.8);
    private static final Ink AXIS = Ink.line(Ink.TEXT, 1.1);
    private static final int TICK = 4;
    static final int LINE_HEIGHT = 16;

    double right() {
        return left + width;
    }

    double bottom() {
        return top + height;
    }

    double px(double value) {
        return left + x.position(value) * width;
    }

    double py(double value) {
        return top + (1 - y.position(value)) * height;
    }

    /** Returns the group of the plot, with the axes' ends for scripts: an axis of words has none. */
    Scene group(Scene scene, boolean words) {
        return scene.panel(
                this,
                "class",
                "panel",
                "data-box",
                String.format(Locale.ROOT, "%.2f %.2f %.2f %.2f", left, top, width, height),
                "data-x",
                words ? "" : ends(x),
                "data-y",
                ends(y));
    }

    private static String ends(Axis axis) {
        return axis.low() + " " + axis.high() + (axis.logarithmic() ? " log" : "");
    }

    /** Draws the grid at the ticks. */
    void grid(Scene scene, boolean vertical) {
        Scene across = scene.group("class", "gy");
        for (Axis.Tick tick : y.ticks()) {
            across.line(left, py(tick.value()), right(), py(tick.value()), THIN);
        }
        Scene down = scene.group("class", "gx");
        for (Axis.Tick tick : vertical ? x.ticks() : List.<Axis.Tick>of()) {
            down.line(px(tick.value()), top, px(tick.value()), bottom(), THIN);
        }
    }

    /** Draws the labels of the y axis. */
    void yLabels(Scene scene, Scene.Face face, java.awt.Color color) {
        Scene labels = scene.group("class", "ty");
        for (Axis.Tick tick : y.ticks()) {
            labels.text(tick.label(), left - 6, py(tick.value()) + face.size() * 0.36, 1, face, color);
        }
    }

    /** Draws the labels (line by line) of the x axis; marked ticks have a stroke. */
    void xLabels(Scene scene, List<List<String>> labels, boolean marked, Scene.Face face) {
        Scene ticks = scene.group("class", "tx");
        for (int i = 0; i < labels.size(); i++) {
            double at = px(x.ticks().get(i).value());
            if (marked) {
                ticks.line(at, bottom(), at, bottom() + TICK, Ink.line(Ink.TEXT, 0.8));
            }
            for (int line = 0; line < labels.get(i).size(); line++) {
                ticks.text(labels.get(i).get(line), at, bottom() + 18 + LINE_HEIGHT * line, 0.5, face, Ink.TEXT);
            }
        }
    }

    void axes(Scene scene) {
        scene.path(List.of(new double[] {left, top, left, bottom(), right(), bottom()}), AXIS);
    }

    /** Returns the line through points of the axes' units, x and y in turn. */
    double[] line(List<double[]> points) {
        double[] line = new double[2 * points.size()];
        for (int i = 0; i < points.size(); i++) {
            line[2 * i] = px(points.get(i)[0]);
            line[2 * i + 1] = py(points.get(i)[1]);
        }
        return line;
    }

    /** Returns the lines in several parts. */
    List<double[]> lines(List<List<double[]>> parts) {
        List<double[]> lines = new ArrayList<>();
        parts.forEach(part -> lines.add(line(part)));
        return lines;
    }
}

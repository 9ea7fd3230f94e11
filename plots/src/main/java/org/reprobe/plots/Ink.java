package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Colours of a shape, null for none, with the width and dashes of its stroke. */
record Ink(@Nullable Color fill, @Nullable Color stroke, double width, List<Float> dash, double opacity) {
    static final Color TEXT = new Color(0x222222);
    static final Color QUIET = new Color(0x666666);
    static final Color GRID = new Color(0xE2E2E2);
    static final Color PAPER = Color.WHITE;

    /** Colours on a dark page of the neutral ones. */
    private static final Color DARK_TEXT = new Color(0xE3E5E4);

    private static final Color DARK_QUIET = new Color(0xA2A9AE);
    private static final Color DARK_GRID = new Color(0x3A4046);
    private static final Color DARK_PAPER = new Color(0x1D2125);

    /** Contrast of readable text, WCAG AA. */
    private static final double CONTRAST = 4.5;

    static Ink filled(Color fill) {
        return new Ink(fill, null, 0, List.of(), 1);
    }

    static Ink line(Color stroke, double width) {
        return new Ink(null, stroke, width, List.of(), 1);
    }

    Ink withOpacity(double other) {
        return new Ink(fill, stroke, width, dash, other);
    }

    /** Returns a colour with this opacity. */
    Color translucent(Color color) {
        return new Color(color.getRed(), color.getGreen(), color.getBlue(), (int) Math.round(255 * opacity));
    }

    BasicStroke basicStroke() {
        float[] lengths = new float[dash.size()];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = dash.get(i);
        }
        return new BasicStroke(
                (float) width,
                BasicStroke.CAP_BUTT,
                BasicStroke.JOIN_ROUND,
                10f,
                lengths.length == 0 ? null : lengths,
                0f);
    }

    static String hex(Color color) {
        return String.format("#%06x", color.getRGB() & 0xFFFFFF);
    }

    /** Returns a colour, darkened until text in it is readable on white. */
    static Color readable(Color color) {
        Color dark = color;
        while (contrast(dark, PAPER) < CONTRAST) {
            dark = mixed(dark, Color.BLACK, 0.05);
        }
        return dark;
    }

    /** Returns the colour for a dark page: readable there, with the same hue. */
    static Color onDark(Color color) {
        if (color.equals(PAPER)) {
            return DARK_PAPER;
        }
        if (color.equals(GRID)) {
            return DARK_GRID;
        }
        if (color.equals(QUIET)) {
            return DARK_QUIET;
        }
        if (color.equals(TEXT)) {
            return DARK_TEXT;
        }
        Color light = color;
        while (contrast(light, DARK_PAPER) < CONTRAST) {
            light = mixed(light, Color.WHITE, 0.05);
        }
        return light;
    }

    private static Color mixed(Color color, Color other, double share) {
        return new Color(
                mixed(color.getRed(), other.getRed(), share),
                mixed(color.getGreen(), other.getGreen(), share),
                mixed(color.getBlue(), other.getBlue(), share));
    }

    /** Rounds towards the other channel, so that repetition reaches it. */
    private static int mixed(int channel, int other, double share) {
        double moved = channel + share * (other - channel);
        return (int) (other > channel ? Math.ceil(moved) : Math.floor(moved));
    }

    private static double contrast(Color one, Color other) {
        double first = luminance(one);
        double second = luminance(other);
        return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
    }

    private static double luminance(Color color) {
        return 0.2126 * linear(color.getRed()) + 0.7152 * linear(color.getGreen()) + 0.0722 * linear(color.getBlue());
    }

    private static double linear(int channel) {
        double value = channel / 255.0;
        return value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    }
}

package org.reprobe.plots;

import java.awt.Color;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/**
 * Style of a series: colour, dashes and marker differ, so that any one of them identifies it. In a figure with measured
 * and simulated lines colour and marker identify the series, dashes the kind. Dashes are lengths of strokes and gaps in
 * turn; bars of out-of-band storage are hatched, as in the linear-probing paper's Figure 11.
 */
record SeriesStyle(String label, Color color, List<Float> dash, Glyph form, boolean hatched) {

    /** Style of a series without its name. */
    private record Look(Color color, List<Float> dash, Glyph form) {}

    private static final Look VERMILLION = new Look(new Color(0xD55E00), List.of(), Glyph.CIRCLE);
    private static final Look BLUE = new Look(new Color(0x0072B2), List.of(7f, 3f), Glyph.SQUARE);
    private static final Look GREEN = new Look(new Color(0x009E73), List.of(9f, 3f, 2f, 3f), Glyph.TRIANGLE);
    private static final Look PURPLE = new Look(new Color(0xCC79A7), List.of(2f, 3f), Glyph.DIAMOND);
    private static final Look SKY = new Look(new Color(0x56B4E9), List.of(4f, 2f), Glyph.TRIANGLE_DOWN);
    private static final Look ORANGE = new Look(new Color(0xE69F00), List.of(12f, 4f), Glyph.PENTAGON);
    private static final Look BLACK = new Look(new Color(0x333333), List.of(5f, 2f, 1.5f, 2f, 1.5f, 2f), Glyph.CROSS);

    /** Colours of Okabe and Ito, without yellow, which is invisible on white paper. */
    private static final List<Look> LOOKS = List.of(VERMILLION, BLUE, GREEN, PURPLE, SKY, ORANGE, BLACK);

    /** A scheme has the same style in every figure. */
    private static final Map<String, Look> SCHEMES = schemes();

    private static Map<String, Look> schemes() {
        Map<String, Look> looks = new HashMap<>();
        SchemeStyles.all().forEach((name, style) -> {
            if (style.look() >= 0 && style.look() < LOOKS.size()) {
                looks.put(name, LOOKS.get(style.look()));
            }
        });
        return Map.copyOf(looks);
    }

    Ink line() {
        return new Ink(null, color, 2, dash, 1);
    }

    Ink solid() {
        return Ink.filled(color);
    }

    /** Returns the colour for text and for markers without an inside. */
    Color textColor() {
        return Ink.readable(color);
    }

    /** Returns the styles of a figure's series, by their index. */
    static List<SeriesStyle> of(FigureSpec spec, FigureData data) {
        boolean bars = spec.shape() == FigureSpec.Shape.BAR;
        int storage = bars ? spec.series().indexOf("table.storage") : -1;
        boolean kinds = data.kinds().size() > 1;
        boolean kindsByColor = kinds && bars;
        Map<List<@Nullable Object>, Look> looks = looks(spec, data, storage, kindsByColor);
        List<SeriesStyle> styles = new ArrayList<>();
        for (FigureData.Series series : data.series()) {
            String label = Labels.series(spec, series.values());
            if (kinds) {
                label = label.isEmpty()
                        ? series.kind().word()
                        : label + " (" + series.kind().word() + ")";
            }
            Look look = Objects.requireNonNull(looks.get(identity(series, storage, kindsByColor)));
            List<Float> dash = kinds && !bars ? dash(series.kind()) : look.dash();
            boolean hatched = storage >= 0 && "heap".equals(series.values().get(storage));
            styles.add(new SeriesStyle(label, look.color(), dash, look.form(), hatched));
        }
        return styles;
    }

    private static Map<List<@Nullable Object>, Look> looks(
            FigureSpec spec, FigureData data, int storage, boolean kindsByColor) {
        int scheme = spec.series().indexOf("scheme");
        Map<List<@Nullable Object>, Look> looks = new HashMap<>();
        Set<Look> free = new LinkedHashSet<>(LOOKS);
        Set<List<@Nullable Object>> later = new LinkedHashSet<>();
        Set<@Nullable Object> schemesSeen = new HashSet<>();
        for (FigureData.Series series : data.series()) {
            List<@Nullable Object> identity = identity(series, storage, kindsByColor);
            if (looks.containsKey(identity) || later.contains(identity)) {
                continue;
            }
            Object name = scheme < 0 ? null : series.values().get(scheme);
            Look own = name == null ? null : SCHEMES.get(name.toString());
            if (own != null && schemesSeen.add(name)) {
                looks.put(identity, own);
                free.remove(own);
            } else {
                later.add(identity);
            }
        }
        List<Look> order = new ArrayList<>(free);
        int next = 0;
        for (List<@Nullable Object> identity : later) {
            looks.put(identity, next < order.size() ? order.get(next) : again(next - order.size()));
            next++;
        }
        return looks;
    }

    /** Returns a style after all are taken: their colours again, each with the dashes and the marker of another. */
    private static Look again(int number) {
        int count = LOOKS.size();
        Look other = LOOKS.get((number + number / count + 2) % count);
        return new Look(LOOKS.get(number % count).color(), other.dash(), other.form());
    }

    private static List<Float> dash(Kind kind) {
        return switch (kind) {
            case MEASURED -> List.of();
            case SIMULATED -> List.of(7f, 3f);
            case PREDICTED -> List.of(2f, 3f);
        };
    }

    /** Returns the values that a colour stands for: all but the storage (a bar's texture) and a line's kind. */
    private static List<@Nullable Object> identity(FigureData.Series series, int storage, boolean kindsByColor) {
        List<@Nullable Object> identity = new ArrayList<>(series.values());
        if (storage >= 0) {
            identity.set(storage, null);
        }
        identity.add(kindsByColor ? series.kind() : null);
        return identity;
    }
}

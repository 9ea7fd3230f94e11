package org.reprobe.plots.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.plots.FigureSpec;

/** Figure, table or section of a paper, "Figure 10b". Places are ordered as a reader looks for them. */
record PaperPlace(Part part, String number) {
    private static final Pattern NAME =
            Pattern.compile("(figure|table|section)-(\\d+(?:\\.\\d+)?[a-z]?)(?![a-z0-9.])", Pattern.CASE_INSENSITIVE);
    /** Place at the end of a title: "(Fig. 2)". */
    private static final Pattern IN_TITLE = Pattern.compile("\\s*\\((Fig\\.|Figure|Table) \\d+[a-z]?\\)$");

    private enum Part {
        FIGURE(0),
        TABLE(1000),
        SECTION(2000);

        /** Order of the first place. */
        private final double first;

        Part(double first) {
            this.first = first;
        }

        private String title() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the place at the start of a name, such as "figure-9-median"; null if there is none. */
    static @Nullable PaperPlace of(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.lookingAt()
                ? new PaperPlace(Part.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)), matcher.group(2))
                : null;
    }

    String label() {
        return part.title() + " " + number;
    }

    private double order() {
        return part.first + Double.parseDouble(number.replaceAll("[a-z]", ""));
    }

    /** Returns the sections in the order of the papers and of their figures, tables and sections; others last. */
    static List<ReportSection> sorted(ReportInput input) {
        List<String> papers = input.papers().stream().map(Paper::name).toList();
        return input.sections().stream()
                .sorted(Comparator.<ReportSection>comparingDouble(section -> {
                            int paper = section.reproduces().isEmpty()
                                    ? -1
                                    : papers.indexOf(
                                            section.reproduces().getFirst().replaceFirst("/.*", ""));
                            return paper < 0 ? papers.size() : paper;
                        })
                        .thenComparingDouble(section -> places(section).stream()
                                .mapToDouble(PaperPlace::order)
                                .min()
                                .orElse(Double.POSITIVE_INFINITY)))
                .toList();
    }

    private static List<PaperPlace> places(ReportSection section) {
        List<PaperPlace> places = new ArrayList<>();
        for (String reproduced : section.reproduces()) {
            PaperPlace place = of(reproduced.substring(reproduced.indexOf('/') + 1));
            if (place != null) {
                places.add(place);
            }
        }
        return places;
    }

    /** Returns "Figure 7, Figure 8, Table 1: Lookup throughput". */
    static String heading(ReportSection section) {
        return places(section).isEmpty() ? section.title() : shortName(section) + ": " + section.title();
    }

    /** Returns "Figure 7, Figure 8, Table 1", or the title of a section without places. */
    static String shortName(ReportSection section) {
        String labels = places(section).stream().map(PaperPlace::label).collect(Collectors.joining(", "));
        return labels.isEmpty() ? section.title() : labels;
    }

    /** Returns the label of a figure named after a place that its scenario reproduces; empty for others. */
    static String label(FigureSpec figure, ReportSection section) {
        PaperPlace place = of(figure.name());
        return place != null
                        && places(section).stream()
                                .anyMatch(of ->
                                        of.part == place.part && of.number.equals(place.number.replaceAll("[a-z]", "")))
                ? place.label()
                : "";
    }

    static String withoutPlace(String title) {
        return IN_TITLE.matcher(title.strip()).replaceFirst("").replaceFirst("\\.$", "");
    }

    /** Returns each figure's claims: those whose source names it; the first figure has all others. */
    static Map<FigureSpec, List<ClaimResult>> claims(ReportSection section) {
        Map<FigureSpec, List<ClaimResult>> claims = new LinkedHashMap<>();
        for (ClaimResult claim : section.claims()) {
            section.figures().stream()
                    .filter(figure -> names(claim, label(figure, section)))
                    .findFirst()
                    .or(() -> section.figures().stream().findFirst())
                    .ifPresent(figure -> claims.computeIfAbsent(figure, _ -> new ArrayList<>())
                            .add(claim));
        }
        return claims;
    }

    private static boolean names(ClaimResult claim, String label) {
        return !label.isEmpty()
                && Pattern.compile(Pattern.quote(label) + "(?![0-9a-z])")
                        .matcher(claim.source())
                        .find();
    }
}

package org.reprobe.plots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDResources;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.graphics.form.PDFormXObject;
import org.apache.pdfbox.rendering.PDFRenderer;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.pdfbox.text.TextPosition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.plots.FigureSpec.Shape;
import org.reprobe.testing.Nightly;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

class FigureWriterTest {
    @TempDir
    static Path samples;

    @TempDir
    Path directory;

    @BeforeAll
    static void draw() throws Exception {
        DrawSamples.main(new String[] {samples.toString()});
    }

    @Test
    void theLegendNamesIntervalsOverDrawnProfiles() throws Exception {
        List<Measurement> runs = SampleResults.lookupThroughput();
        for (FigureSpec spec : List.of(SampleResults.figure7(), SampleResults.figure8())) {
            assertThat(FigureWriter.svg(spec, runs, runs, Course.NONE, SampleResults.published()))
                    .contains(">predicted, 90 % interval of the card's constants<");
            assertThat(FigureWriter.svg(spec, runs, SampleResults.published())).doesNotContain(">predicted,");
        }
    }

    @Test
    void aPointThatLostRunsIsMarkedAndNamedInTheLegend() throws Exception {
        for (FigureSpec spec : List.of(SampleResults.figure7(), SampleResults.figure8())) {
            List<Measurement> runs = new ArrayList<>(SampleResults.lookupThroughput());
            assertThat(FigureWriter.svg(spec, runs, PublishedPoints.none())).doesNotContain(FigurePainter.PARTIAL);
            Measurement first = runs.getFirst();
            runs.add(new Measurement(
                    first.scenario(), first.cell(), 99, 1, "sim", first.kind(), false, "it died", Map.of()));
            assertThat(FigureWriter.svg(spec, runs, PublishedPoints.none()))
                    .contains(">" + FigurePainter.PARTIAL + "<");
        }
    }

    @Test
    void aFigureIsAnSvgAPngOf200DotsAnInchAPdfItsNumbersAndLatex() throws Exception {
        List<Path> files = FigureWriter.write(
                SampleResults.figure7(), SampleResults.lookupThroughput(), SampleResults.published(), directory);

        assertThat(files)
                .containsExactly(
                        directory.resolve("figure-7.svg"),
                        directory.resolve("figure-7.png"),
                        directory.resolve("figure-7.pdf"),
                        directory.resolve("figure-7.data.csv"),
                        directory.resolve("figure-7.tex"));
        Document svg = parsed(Files.readString(files.get(0)));
        double width = Double.parseDouble(svg.getDocumentElement().getAttribute("width"));
        double height = Double.parseDouble(svg.getDocumentElement().getAttribute("height"));
        BufferedImage png = ImageIO.read(files.get(1).toFile());
        assertThat(png.getWidth()).isEqualTo((int) Math.round(width * 200 / 72));
        assertThat(png.getHeight()).isEqualTo((int) Math.round(height * 200 / 72));
        assertThat(distinctColours(png)).as("something is drawn").isGreaterThan(50);
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).as("no temporary file stays").hasSize(5);
        }
    }

    @Test
    void aFiguresNumbersAreThoseOfItsPointsWithTheirUnits() throws Exception {
        List<Measurement> measurements = SampleResults.lookupThroughput();
        FigureSpec spec = SampleResults.figure7();
        FigureWriter.write(spec, measurements, SampleResults.published(), directory);

        List<String> lines = Files.readAllLines(directory.resolve("figure-7.data.csv"));
        assertThat(lines.getFirst()).isEqualTo("scheme,kind,load-factor,Throughput (million lookups/s),ci95,runs");
        Map<String, Double> drawn = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(",", -1);
            boolean published = fields[1].equals("published");
            assertThat(fields[5]).isEqualTo(published ? "" : "5");
            assertThat(fields[4].isEmpty()).isEqualTo(published);
            if (!published) {
                assertThat(fields[1]).isEqualTo("simulated");
                drawn.put(fields[0] + " " + fields[2], Double.valueOf(fields[3]));
            }
        }
        assertThat(lines).anyMatch(line -> line.contains(",published,"));
        Map<String, Double> means = measurements.stream()
                .collect(Collectors.groupingBy(
                        run -> run.cell().get("scheme") + " " + run.cell().get("load-factor"),
                        Collectors.averagingDouble(run -> run.metric(Metrics.THROUGHPUT) / 1e6)));
        assertThat(drawn.keySet()).isEqualTo(means.keySet());
        means.forEach((cell, mean) -> assertThat(drawn.get(cell)).as(cell).isCloseTo(mean, within(1e-9)));
    }

    /** Rendered, the PDF is the PNG except for the edges of letters; its words are words, in embedded fonts. */
    @Test
    void aPdfLooksAsThePngAndItsTextIsText() throws Exception {
        int compared = 0;
        for (File file : samples.toFile().listFiles((dir, name) -> name.endsWith(".pdf"))) {
            try (PDDocument document = Loader.loadPDF(file)) {
                assertThat(document.getNumberOfPages()).isEqualTo(1);
                for (COSName name : fonts(document)) {
                    PDFont font = form(document).getResources().getFont(name);
                    assertThat(font.isEmbedded()).as(font.getName()).isTrue();
                    assertThat(font.getName()).matches("[A-Z]{6}\\+DejaVuSans(-Bold)?");
                }
                BufferedImage page = new PDFRenderer(document).renderImageWithDPI(0, 200);
                BufferedImage png = ImageIO.read(new File(file.getPath().replace(".pdf", ".png")));
                assertThat(page.getWidth()).isCloseTo(png.getWidth(), within(1));
                assertThat(page.getHeight()).isCloseTo(png.getHeight(), within(1));
                assertThat(differing(page, png)).as(file.getName()).isLessThan(0.01);
            }
            compared++;
        }
        assertThat(compared).isEqualTo(6);
        try (PDDocument document =
                Loader.loadPDF(samples.resolve("figure-7.pdf").toFile())) {
            assertThat(document.getDocumentInformation().getTitle())
                    .isEqualTo(SampleResults.figure7().title());
            assertThat(new PDFTextStripper().getText(document))
                    .contains("Load factor")
                    .contains("Fixed Linear")
                    .contains("0.5")
                    .containsPattern("(?m)^40$")
                    .contains("simulated");
        }
    }

    private static PDFormXObject form(PDDocument document) throws IOException {
        PDResources page = document.getPage(0).getResources();
        return (PDFormXObject) page.getXObject(page.getXObjectNames().iterator().next());
    }

    private static List<COSName> fonts(PDDocument document) throws IOException {
        List<COSName> names = new ArrayList<>();
        form(document).getResources().getFontNames().forEach(names::add);
        assertThat(names).isNotEmpty();
        return names;
    }

    /** Returns the share of pixels that are dark in one and light in the other. */
    private static double differing(BufferedImage first, BufferedImage second) {
        int width = Math.min(first.getWidth(), second.getWidth());
        int height = Math.min(first.getHeight(), second.getHeight());
        int differing = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                Color one = new Color(first.getRGB(x, y));
                Color other = new Color(second.getRGB(x, y));
                int apart = Math.abs(one.getRed() - other.getRed())
                        + Math.abs(one.getGreen() - other.getGreen())
                        + Math.abs(one.getBlue() - other.getBlue());
                differing += apart > 255 ? 1 : 0;
            }
        }
        return differing / (double) width / height;
    }

    /**
     * One column of a paper, letters of 8 points: no word outside, legends instead of names at lines, all panels there.
     */
    @Test
    @Nightly(besides = "a figure is an SVG, a PNG, a PDF and its numbers")
    void aFigureForAColumnHasItsWidthAndLetters() throws Exception {
        FigureLayout column = FigureLayout.ofColumn(238, 142.0, 8, false);
        FigureWriter.write(
                SampleResults.figure7(),
                SampleResults.lookupThroughput(),
                List.of(),
                Course.NONE,
                SampleResults.published(),
                column,
                directory);
        FigureWriter.write(
                SampleResults.figure9(),
                SampleResults.latencies(),
                List.of(),
                Course.NONE,
                PublishedPoints.none(),
                column,
                directory);
        FigureWriter.write(
                SampleResults.figure11(),
                SampleResults.storages(),
                List.of(),
                Course.NONE,
                SampleResults.published(),
                column,
                directory);
        for (String name : List.of("figure-7", "figure-9", "figure-11")) {
            Document svg = parsed(Files.readString(directory.resolve(name + ".svg")));
            assertThat(svg.getDocumentElement().getAttribute("width")).isEqualTo("238.00pt");
            assertThat(Double.parseDouble(
                            svg.getDocumentElement().getAttribute("height").replace("pt", "")))
                    .as("as asked for, unless panels need more")
                    .matches(height -> Math.abs(height - 142) < 1 || (name.equals("figure-9") && height > 142));
            BufferedImage png = ImageIO.read(directory.resolve(name + ".png").toFile());
            assertThat(png.getWidth()).isCloseTo(238 * 200 / 72, within(1));
            try (PDDocument document =
                    Loader.loadPDF(directory.resolve(name + ".pdf").toFile())) {
                assertThat((double) document.getPage(0).getMediaBox().getWidth())
                        .isCloseTo(238, within(0.01));
                Letters letters = new Letters();
                letters.getText(document);
                assertThat(letters.sizesPt)
                        .as("heights of letters")
                        .contains(8L)
                        .allMatch(size -> size >= 6);
                assertThat(letters.left).isPositive();
                assertThat(letters.right).as("%s: the last letter's end", name).isLessThan(238);
                assertThat(letters.rightmostDigit)
                        .as("names beside lines leave the plot less")
                        .isGreaterThan(0.75 * 238);
            }
            assertThat(texts(Files.readString(directory.resolve(name + ".svg"))))
                    .as("a legend")
                    .anyMatch(text -> text.startsWith("Fixed Linear"));
        }
        assertThatThrownBy(() -> FigureLayout.ofColumn(238, null, FigureLayout.maxFontPt(238, null) + 0.1, false))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Sizes and places of a PDF's letters. */
    private static final class Letters extends PDFTextStripper {
        private final Set<Long> sizesPt = new TreeSet<>();
        private double left = Double.POSITIVE_INFINITY;
        private double right;
        private double rightmostDigit;

        @Override
        protected void processTextPosition(TextPosition letter) {
            sizesPt.add(Math.round((double) Math.max(letter.getXScale(), letter.getYScale())));
            left = Math.min(left, letter.getX());
            right = Math.max(right, letter.getX() + (double) letter.getWidth());
            if (letter.getUnicode().matches("\\d")) {
                rightmostDigit = Math.max(rightmostDigit, letter.getX());
            }
        }
    }

    /** Numbers as the scenario has them, percentiles by their names, and a column for panels. */
    @Test
    void aFiguresNumbersNamePercentilesAndPanels() throws Exception {
        FigureWriter.write(SampleResults.figure9(), SampleResults.latencies(), PublishedPoints.none(), directory);
        List<String> lines = Files.readAllLines(directory.resolve("figure-9.data.csv"));
        assertThat(lines.getFirst()).isEqualTo("load-factor,scheme,kind,percentile,Latency (µs),ci95,runs");
        assertThat(lines.subList(1, lines.size())).anyMatch(line -> line.contains(",p999,"));
    }

    @Test
    void thePapersNamesAndTheKindStandInTheFigure() throws Exception {
        List<String> texts = texts(
                FigureWriter.svg(SampleResults.figure7(), SampleResults.lookupThroughput(), SampleResults.published()));
        assertThat(texts)
                .contains(
                        "Parallel Cuckoo",
                        "Fixed Linear",
                        "Variable Linear",
                        "Var. Linear (uncons.)",
                        "published",
                        "simulated",
                        "Load factor",
                        "Throughput (million lookups/s)",
                        "0.25",
                        "0.65");
        assertThat(texts(FigureWriter.svg(
                        SampleResults.figure6(), SampleResults.cuckooVariants(), PublishedPoints.none())))
                .contains("Sequential Cuckoo, non-associative", "Parallel Cuckoo, 4-way")
                .doesNotContain("published");
        assertThat(texts(FigureWriter.svg(
                        SampleResults.figure11(), SampleResults.storages(), SampleResults.published())))
                .contains("Fixed Linear, heap", "Fixed Linear, inline", "8", "32", "128");
        assertThat(texts(FigureWriter.svg(SampleResults.figure9(), SampleResults.latencies(), PublishedPoints.none())))
                .contains("p50", "p99.9", "Load factor 0.25", "Load factor 0.95", "Latency (µs)");
    }

    /** Each point has its values as a text, and each series a group, also in its legend. */
    @Test
    void aPointHasItsValuesAsTitle() throws Exception {
        Document svg = parsed(
                FigureWriter.svg(SampleResults.figure7(), SampleResults.lookupThroughput(), SampleResults.published()));
        List<String> titles = new ArrayList<>();
        NodeList nodes = svg.getElementsByTagName("title");
        for (int i = 1; i < nodes.getLength(); i++) {
            titles.add(nodes.item(i).getTextContent());
        }
        long points = SampleResults.lookupThroughput().stream()
                .map(Measurement::cell)
                .distinct()
                .count();
        assertThat(titles.stream().filter(title -> title.endsWith(", 5 runs"))).hasSize((int) points);
        assertThat(titles)
                .anyMatch(title ->
                        title.matches("Fixed Linear, Load factor 0.5: [\\d.]+ \\([\\d.]+ to [\\d.]+\\), 5 runs"))
                .anyMatch(title -> title.matches("Variable Linear, Load factor 0.\\d+: published [\\d.]+"));
    }

    /** A reader saw one line where there were two. */
    @Test
    void linesOnEachOtherAreNamed() throws Exception {
        List<Measurement> runs = new ArrayList<>();
        for (String scheme : List.of("linear-fixed", "linear-variable")) {
            for (double load : List.of(0.25, 0.5)) {
                runs.add(SampleResults.run(
                        "s",
                        SampleResults.cell("scheme", scheme, "load-factor", load),
                        0,
                        Map.of(Metrics.THROUGHPUT, 1e6)));
            }
        }
        assertThat(reading(runs)).contains("The same line: Fixed Linear (wide) and Variable Linear.");
        runs.add(SampleResults.run(
                "s",
                SampleResults.cell("scheme", "linear-fixed", "load-factor", 0.65),
                0,
                Map.of(Metrics.THROUGHPUT, 1e6)));
        assertThat(reading(runs)).isEqualTo("One run per point.");
    }

    private static String reading(List<Measurement> runs) throws Exception {
        return FigureWriter.inPage(SampleResults.figure7(), runs, List.of(), Course.NONE, PublishedPoints.none(), "f-")
                .reading();
    }

    @Test
    void latexHasThePointsAndEscapesTexts() throws Exception {
        FigureWriter.write(
                SampleResults.figure7(), SampleResults.lookupThroughput(), SampleResults.published(), directory);
        String tex = Files.readString(directory.resolve("figure-7.tex"));
        assertThat(tex).contains("\\addlegendentry{Fixed Linear}", "{Throughput (million lookups/s)}", "mark=square*");
        for (String environment : List.of("tikzpicture", "groupplot")) {
            assertThat(tex.split("begin\\{" + environment + "}", -1)).hasSize(2);
            assertThat(tex.split("end\\{" + environment + "}", -1)).hasSize(2);
        }
        assertThat(tex.chars().filter(c -> c == '{').count())
                .isEqualTo(tex.chars().filter(c -> c == '}').count());
        long points = Files.readAllLines(directory.resolve("figure-7.data.csv")).size() - 1L;
        assertThat(tex.lines().filter(line -> line.matches("[\\d.E-]+( [\\d.E-]+){3}")))
                .hasSize((int) points);
        FigureWriter.write(SampleResults.figure9(), SampleResults.latencies(), PublishedPoints.none(), directory);
        assertThat(Files.readString(directory.resolve("figure-9.tex")))
                .contains("$\\mu$s")
                .doesNotContain("µ");
    }

    @Test
    void latexPanelsShareTheirAxes() throws Exception {
        FigureWriter.write(SampleResults.figure9(), SampleResults.latencies(), PublishedPoints.none(), directory);
        FigureWriter.write(SampleResults.figure11(), SampleResults.storages(), PublishedPoints.none(), directory);
        assertThat(Files.readString(directory.resolve("figure-9.tex")))
                .contains("group size=2 by ", "ymin=", "ymax=", "xticklabels={{p50},");
        assertThat(Files.readString(directory.resolve("figure-11.tex"))).contains("/pgf/bar width=", "area legend");
    }

    @Test
    @Nightly(besides = "latex has the points and escapes texts")
    void latexCompilesWithoutErrorsAndInItsWidth() throws Exception {
        Path log = directory.resolve("figures.log");
        StringBuilder document = new StringBuilder("\\documentclass{article}\n\\usepackage{pgfplots}\n");
        document.append("\\usepgfplotslibrary{groupplots}\n\\pgfplotsset{compat=1.18}\n");
        document.append("\\setlength{\\textwidth}{245pt}\n\\begin{document}\n");
        try (Stream<Path> files = Files.list(samples)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".tex"))
                    .sorted()
                    .toList()) {
                document.append("\\noindent\\input{").append(file).append("}\\par\n");
            }
        }
        Files.writeString(directory.resolve("figures.tex"), document.append("\\end{document}\n"));
        ProcessBuilder builder = new ProcessBuilder("pdflatex", "-interaction=nonstopmode", "figures.tex");
        builder.directory(directory.toFile()).redirectErrorStream(true);
        builder.redirectOutput(directory.resolve("output.txt").toFile());
        try {
            // Twice: the second time has the legends.
            builder.start().waitFor();
            builder.start().waitFor();
        } catch (IOException e) {
            assumeTrue(false, "needs pdflatex with pgfplots: " + e.getMessage());
        }
        assertThat(Files.readString(log, StandardCharsets.ISO_8859_1)).contains("Output written on figures.pdf");
        assertThat(Files.readAllLines(log, StandardCharsets.ISO_8859_1))
                .noneMatch(line -> line.startsWith("!") || line.startsWith("Overfull \\hbox"));
    }

    @Test
    void theSameMeasurementsGiveTheSameBytes() throws Exception {
        DrawSamples.main(new String[] {directory.toString()});
        assertSameFiles(samples, directory);
    }

    @Test
    @Nightly(besides = "the same measurements give the same bytes")
    void aMachineWithoutFontsDrawsTheSameBytes() throws Exception {
        Path there = directory.resolve("there");
        Path empty = Files.createFile(directory.resolve("empty.conf"));
        Path home = Files.createDirectory(directory.resolve("home"));
        ProcessBuilder builder = java(List.of("-Duser.home=" + home), there);
        builder.environment().put("FONTCONFIG_FILE", empty.toString());
        builder.environment().put("FONTCONFIG_PATH", home.toString());
        builder.environment().put("HOME", home.toString());
        // An empty library ends the search for the real one.
        Files.createFile(home.resolve("libfontconfig.so.1"));
        builder.environment().put("LD_LIBRARY_PATH", home.toString());
        builder.environment().put("LANG", "C");
        Outcome outcome = run(builder);

        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertSameFiles(samples, there);
    }

    @Test
    @Nightly(besides = "a figure is an SVG, a PNG, a PDF and its numbers")
    void fontsThatKilledProcessesLeftAreDeletedAndThoseOfOthersStay() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("temporary"));
        Process ended = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(), "-version")
                .redirectErrorStream(true)
                .start();
        ended.getInputStream().readAllBytes();
        ended.waitFor();
        Path left = Files.createDirectory(temporary.resolve("reprobe-fonts-" + ended.pid() + "-1"));
        Files.createFile(left.resolve("DejaVuSans.ttf"));
        Path alive = Files.createDirectory(
                temporary.resolve("reprobe-fonts-" + ProcessHandle.current().pid() + "-1"));

        ProcessBuilder builder = java(List.of("-Djava.io.tmpdir=" + temporary), directory.resolve("there"));
        builder.command().add("one");
        Outcome outcome = run(builder);

        assertThat(outcome.status()).as(outcome.output()).isZero();
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("reprobe-fonts")))
                    .containsExactly(alive);
        }
    }

    @Test
    void aJavaWithoutGraphicsLibrariesIsReported() throws Exception {
        Path java = Path.of(System.getProperty("java.home"));
        Path poor = directory.resolve("poor");
        try (Stream<Path> files = Files.walk(java, 3)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path inside = java.relativize(file);
                boolean needed = inside.startsWith("lib") || inside.startsWith("conf") || inside.endsWith("bin/java");
                String name = file.getFileName().toString();
                if (needed && !name.equals("src.zip") && !name.matches("lib(awt.*|fontmanager|freetype)\\.so")) {
                    Path link = poor.resolve(inside);
                    Files.createDirectories(link.getParent());
                    // Not a symbolic link: Java would look for its libraries beside the target.
                    try {
                        Files.createLink(link, file.toRealPath());
                    } catch (IOException | UnsupportedOperationException e) {
                        Files.copy(file, link);
                    }
                }
            }
        }
        Path out = directory.resolve("out");
        ProcessBuilder builder = java(List.of(), out);
        builder.command().set(0, poor.resolve("bin/java").toString());
        Outcome outcome = run(builder);

        assertThat(outcome.status()).isNotZero();
        assertThat(outcome.output())
                .contains("figures can't be drawn: this Java runtime lacks its graphics libraries")
                .contains("./run.sh report");
        try (Stream<Path> left = Files.list(out)) {
            assertThat(left).as("nothing is left half written").isEmpty();
        }
    }

    @Test
    void cellsThatFallOnOnePointAreRefused() {
        FigureSpec spec = new FigureSpec(
                "figure-11",
                "",
                "table.record-bytes",
                FigureQuantity.THROUGHPUT,
                List.of("scheme"),
                "",
                Shape.BAR,
                false,
                false,
                Map.of());
        assertThatThrownBy(() -> FigureWriter.svg(spec, SampleResults.storages(), PublishedPoints.none()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("figure figure-11: the cells cuckoo-parallel,")
                .hasMessageContaining(
                        "name the key that distinguishes them (table.storage) in x, series, panels or where");
    }

    @Test
    void aFigureWithoutMeasurementsIsMarked() throws Exception {
        assertThat(texts(FigureWriter.svg(SampleResults.figure7(), List.of(), PublishedPoints.none())))
                .contains("no valid measurement", "Load factor");
        assertThat(texts(FigureWriter.svg(SampleResults.figure9(), List.of(), PublishedPoints.none())))
                .contains("no valid measurement");
    }

    @Test
    void theTicksOfAQuantityAreRoundNumbersFromZeroOnAndTextInTheSvg() throws Exception {
        for (double high : new double[] {1e-3, 0.7, 9.99, 50.8, 1234, 7e9}) {
            List<Measurement> measurements = List.of(
                    SampleResults.run(
                            "s", SampleResults.cell("load-factor", 0.33), 0, Map.of(Metrics.THROUGHPUT, high * 1e6)),
                    SampleResults.run(
                            "s", SampleResults.cell("load-factor", 0.77), 0, Map.of(Metrics.THROUGHPUT, high * 3e5)));
            List<String> ticks =
                    texts(FigureWriter.svg(SampleResults.figure7(), measurements, PublishedPoints.none())).stream()
                            .filter(text -> text.matches("[0-9.,]+") && !text.equals("0.33") && !text.equals("0.77"))
                            .toList();
            assertThat(ticks).as("up to %s", high).contains("0").hasSizeBetween(4, 10);
            assertThat(ticks).allMatch(tick -> tick.replaceAll("[0.,]", "").length() <= 2);
        }
    }

    @Test
    void nonPositiveValuesAreNotOnALogarithmicAxis() throws Exception {
        List<Measurement> measurements = new ArrayList<>();
        double[] values = {0, 1e6, 5e8};
        for (int i = 0; i < values.length; i++) {
            for (int repeat = 0; repeat < 2; repeat++) {
                // The interval of the second point reaches below zero.
                measurements.add(SampleResults.run(
                        "s",
                        SampleResults.cell("workload.theta", i * 0.5, "clusters.track", true),
                        repeat,
                        Map.of(Metrics.MATCHES, values[i] * (1 + repeat))));
            }
        }
        String svg = FigureWriter.svg(SampleResults.figure12(), measurements, PublishedPoints.none());
        assertThat(svg).doesNotContain("NaN").doesNotContain("Infinity");
        parsed(svg);
    }

    @Test
    void wordsOnTheXAxisKeepTheOrderOfTheMeasurements() throws Exception {
        List<Measurement> measurements = new ArrayList<>();
        for (String scheme : List.of("linear-variable", "linear-fixed", "cuckoo-parallel")) {
            measurements.add(SampleResults.run(
                    "s", SampleResults.cell("scheme", scheme), 0, Map.of(Metrics.REQUESTS, 1.0 + scheme.length())));
        }
        FigureSpec spec = new FigureSpec(
                "f", "t", "scheme", FigureQuantity.REQUESTS, List.of(), "", Shape.BAR, false, false, Map.of());
        List<String> texts = texts(FigureWriter.svg(spec, measurements, PublishedPoints.none()));
        assertThat(texts).containsSubsequence("Variable Linear", "Fixed Linear", "Parallel Cuckoo");
    }

    @Test
    void measuredAndSimulatedLinesAreNamedApart() throws Exception {
        Cell cell = SampleResults.cell("scheme", "linear-fixed", "load-factor", 0.5);
        Measurement simulated = SampleResults.run("s", cell, 0, Map.of(Metrics.THROUGHPUT, 1e6));
        Measurement measured =
                new Measurement("s", cell, 0, 1, "shm", Kind.MEASURED, true, null, Map.of(Metrics.THROUGHPUT, 2e6));
        assertThat(texts(FigureWriter.svg(
                        SampleResults.figure7(), List.of(simulated, measured), PublishedPoints.none())))
                .contains("Fixed Linear (measured)", "Fixed Linear (simulated)", "measured and simulated");
    }

    @Test
    void aFigureOverTimeMarksFaultsAndLeavesGapsForUnknownValues() throws Exception {
        List<Measurement> slices = new ArrayList<>();
        for (int slice = 0; slice < 100; slice++) {
            boolean known = slice < 30 || slice >= 60;
            slices.add(SampleResults.run(
                    "s",
                    SampleResults.cell("scheme", "nessie", "time-ms", slice * 0.1),
                    0,
                    known ? Map.of(Metrics.LATENCY + ".mean", 1000.0 + slice) : Map.of(Metrics.THROUGHPUT, 0.0)));
        }
        Course course = new Course(slices, List.of(new Course.Mark(3, 6, "server crashes")));
        FigureSpec spec = new FigureSpec(
                "f",
                "t",
                FigureSpec.TIME,
                FigureQuantity.LATENCY_MEAN,
                List.of("scheme"),
                "",
                Shape.LINE,
                false,
                false,
                Map.of());
        String svg = FigureWriter.svg(spec, List.of(), List.of(), course, PublishedPoints.none());
        assertThat(texts(svg)).contains("Time (ms)", "server crashes");
        assertThat(svg).doesNotContain("NaN");
        assertThat(lines(svg)).as("two parts and the legend").isEqualTo(3);
        List<Measurement> gapless = slices.stream()
                .map(slice -> SampleResults.run("s", slice.cell(), 0, Map.of(Metrics.LATENCY + ".mean", 1000.0)))
                .toList();
        assertThat(lines(FigureWriter.svg(
                        spec, List.of(), List.of(), new Course(gapless, course.marks()), PublishedPoints.none())))
                .isEqualTo(2);
    }

    /** Returns the parts of the lines that are as wide as a series. */
    private static long lines(String svg) {
        return Pattern.compile("d=\"([^\"]*)\" stroke=\"#\\w+\" stroke-width=\"2\"")
                .matcher(svg)
                .results()
                .flatMapToInt(line -> line.group(1).chars())
                .filter(letter -> letter == 'M')
                .count();
    }

    @Test
    void textsOfUsersAreTexts() throws Exception {
        String hostile = "</text><script>alert(1)</script>&\"'";
        FigureSpec spec = new FigureSpec(
                "f",
                hostile,
                "load-factor",
                FigureQuantity.THROUGHPUT,
                List.of("note"),
                "",
                Shape.LINE,
                false,
                false,
                Map.of());
        List<Measurement> measurements = new ArrayList<>();
        for (String note : List.of(hostile, "other")) {
            measurements.add(SampleResults.run(
                    "s",
                    SampleResults.cell("note", note, "load-factor", 0.5),
                    0,
                    Map.of(Metrics.THROUGHPUT, 1e6 * note.length())));
        }
        Document svg = parsed(FigureWriter.svg(spec, measurements, PublishedPoints.none()));
        assertThat(svg.getElementsByTagName("script").getLength()).isZero();
        assertThat(svg.getElementsByTagName("title").item(0).getTextContent()).isEqualTo(hostile);
    }

    private record Outcome(int status, String output) {}

    private static ProcessBuilder java(List<String> options, Path out) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The process ends before the second compiler pays off.
        command.addAll(
                List.of("-Djava.awt.headless=true", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        command.addAll(options);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), DrawSamples.class.getName(), out.toString()));
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    private static Outcome run(ProcessBuilder builder) throws Exception {
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return new Outcome(process.exitValue(), output);
    }

    private static void assertSameFiles(Path first, Path second) throws IOException {
        File[] files = first.toFile().listFiles();
        assertThat(files).hasSize(30);
        for (File file : files) {
            assertThat(second.resolve(file.getName())).hasSameBinaryContentAs(file.toPath());
        }
    }

    private static long distinctColours(BufferedImage image) {
        return java.util.Arrays.stream(
                        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .distinct()
                .count();
    }

    private static List<String> texts(String svg) throws Exception {
        NodeList nodes = parsed(svg).getElementsByTagName("text");
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}

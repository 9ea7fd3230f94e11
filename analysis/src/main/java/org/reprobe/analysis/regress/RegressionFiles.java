package org.reprobe.analysis.regress;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.JsonLine;

/** Outcome in formats of other programs. */
public final class RegressionFiles {
    private static final int MAX_MARKDOWN_ROWS = 200;

    /** Beginnings of texts that GitHub turns into links although they are not Markdown: mentions, issues, addresses. */
    private static final Pattern LINKED = Pattern.compile("@|#(?=\\d)|:(?=//)|www(?=\\.)", Pattern.CASE_INSENSITIVE);

    /** Zero-width space, which breaks a link. */
    private static final String NO_WIDTH = "&#8203;";

    private RegressionFiles() {}

    /** Returns GitHub's Markdown for a job summary: the verdict, the rows that are not the same, the notes. */
    public static String markdown(String title, Outcome outcome) {
        StringBuilder text = new StringBuilder("## ").append(escaped(title)).append("\n\n**");
        text.append(outcome.verdict().word())
                .append("** (")
                .append(outcome.tally())
                .append(")\n\n");
        List<Row> rows = outcome.notableRows();
        if (!rows.isEmpty()) {
            text.append("| verdict | cell | metric | base | new | change | certainty | remark |\n");
            text.append("|---|---|---|--:|--:|--:|---|---|\n");
            for (Row row : rows.subList(0, Math.min(MAX_MARKDOWN_ROWS, rows.size()))) {
                text.append("| ").append(symbol(row.verdict())).append(' ');
                for (String cell : List.of(
                        row.verdict().word(),
                        row.place(),
                        row.metric(),
                        row.base(),
                        row.now(),
                        row.change(),
                        row.certainty(),
                        row.remark())) {
                    text.append(escaped(cell)).append(" | ");
                }
                text.setLength(text.length() - 1);
                text.append('\n');
            }
            if (rows.size() > MAX_MARKDOWN_ROWS) {
                text.append("\n").append(rows.size() - MAX_MARKDOWN_ROWS).append(" more rows are not shown.\n");
            }
            text.append('\n');
        }
        outcome.notes().forEach(note -> text.append("- ").append(escaped(note)).append('\n'));
        return text.toString();
    }

    private static String symbol(RegressionVerdict verdict) {
        return switch (verdict) {
            case WORSE -> "❌";
            case CANT_TELL -> "❔";
            case BETTER -> "✅";
            case CHANGED -> "✏️";
            case SAME -> "➖";
        };
    }

    /** Returns a text escaped for Markdown: names of benchmarks may look like images, links, code or mentions. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '\\', '`', '*', '_', '[', ']', '|', '~', '$' ->
                    escaped.append('\\').append(c);
                default -> escaped.append(c);
            }
        }
        return LINKED.matcher(escaped).replaceAll("$0" + NO_WIDTH).replaceAll("\\R|\\p{Cntrl}", " ");
    }

    /**
     * Returns JUnit's XML: one test suite per scenario, one test per metric of a cell. Worse is a failure; can't tell
     * is skipped, with the reason.
     */
    public static String junit(String title, Outcome outcome) {
        Map<String, List<Row>> suites = new LinkedHashMap<>();
        for (Row row : outcome.rows()) {
            suites.computeIfAbsent(row.scenario(), _ -> new ArrayList<>()).add(row);
        }
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeCharacters("\n");
            xml.writeStartElement("testsuites");
            counts(xml, title, outcome.rows());
            notes(xml, title, outcome.notes());
            for (Map.Entry<String, List<Row>> suite : suites.entrySet()) {
                xml.writeCharacters("\n  ");
                xml.writeStartElement("testsuite");
                counts(xml, suite.getKey(), suite.getValue());
                for (Row row : suite.getValue()) {
                    test(xml, row);
                }
                xml.writeCharacters("\n  ");
                xml.writeEndElement();
            }
            xml.writeCharacters("\n");
            xml.writeEndElement();
            xml.writeCharacters("\n");
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e); // a string can always be written to
        }
        return text.toString();
    }

    /** Writes the notes as properties of a suite without tests, since JUnit has properties of suites only. */
    private static void notes(XMLStreamWriter xml, String title, List<String> notes) throws XMLStreamException {
        if (notes.isEmpty()) {
            return;
        }
        xml.writeCharacters("\n  ");
        xml.writeStartElement("testsuite");
        counts(xml, title, List.of());
        xml.writeStartElement("system-out");
        xml.writeCharacters(printable(String.join("\n", notes)));
        xml.writeEndElement();
        xml.writeEndElement();
    }

    private static void counts(XMLStreamWriter xml, String name, List<Row> rows) throws XMLStreamException {
        xml.writeAttribute("name", printable(name));
        xml.writeAttribute("tests", String.valueOf(rows.size()));
        xml.writeAttribute("failures", count(rows, RegressionVerdict.WORSE));
        xml.writeAttribute("errors", "0");
        xml.writeAttribute("skipped", count(rows, RegressionVerdict.CANT_TELL));
    }

    private static String count(List<Row> rows, RegressionVerdict verdict) {
        return String.valueOf(
                rows.stream().filter(row -> row.verdict() == verdict).count());
    }

    private static void test(XMLStreamWriter xml, Row row) throws XMLStreamException {
        xml.writeCharacters("\n    ");
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", printable(row.place()));
        xml.writeAttribute("name", printable(row.metric()));
        String message = message(row);
        switch (row.verdict()) {
            case WORSE -> {
                xml.writeStartElement("failure");
                xml.writeAttribute("message", message);
                xml.writeAttribute("type", "worse");
                xml.writeEndElement();
            }
            case CANT_TELL -> {
                xml.writeStartElement("skipped");
                xml.writeAttribute("message", message);
                xml.writeEndElement();
            }
            case BETTER, CHANGED, SAME -> {
                if (!row.change().isEmpty()) {
                    xml.writeStartElement("system-out");
                    xml.writeCharacters(message);
                    xml.writeEndElement();
                }
            }
        }
        xml.writeEndElement();
    }

    private static String message(Row row) {
        StringBuilder message = new StringBuilder(row.verdict().word());
        if (!row.change().isEmpty()) {
            message.append(": ").append(row.change());
        }
        if (!row.base().isEmpty() && !row.now().isEmpty()) {
            message.append(", from ").append(row.base()).append(" to ").append(row.now());
        }
        for (String more : List.of(row.certainty(), row.remark())) {
            if (!more.isEmpty()) {
                message.append("; ").append(more);
            }
        }
        return printable(message.toString());
    }

    /** Returns a text without the characters that XML 1.0 cannot represent. */
    private static String printable(String text) {
        return text.codePoints()
                .map(point -> point == '\t'
                                || point == '\n'
                                || point == '\r'
                                || (point >= ' ' && point < 0xD800 && (point < 0x7F || point > 0x9F))
                                || (point > 0xDFFF && point < 0xFFFE)
                                || point > 0xFFFF
                        ? point
                        : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    public static String markdown(List<RatioTable> tables) {
        StringBuilder text = new StringBuilder();
        for (RatioTable table : tables) {
            text.append("\n### ").append(escaped(table.title())).append("\n\n| ");
            text.append(escaped(table.rowsKey() + " \\ " + table.columnsKey())).append(" |");
            table.columns()
                    .forEach(column -> text.append(' ').append(escaped(column)).append(" |"));
            text.append("\n|---|").append("--:|".repeat(table.columns().size())).append('\n');
            for (RatioTable.Line line : table.lines()) {
                text.append("| ").append(escaped(line.name())).append(" |");
                line.entries()
                        .forEach(
                                entry -> text.append(' ').append(escaped(entry)).append(" |"));
                text.append('\n');
            }
        }
        return text.toString();
    }

    /** Returns a webhook's payload: the verdict in a sentence, as {@code text}, and up to {@code max} worse metrics. */
    public static String alarm(String title, Outcome outcome, int max) {
        List<Row> worse = outcome.rows().stream()
                .filter(row -> row.verdict() == RegressionVerdict.WORSE)
                .toList();
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("text", title + ": " + outcome.verdict().word() + " (" + outcome.tally() + ")");
        object.put("title", title);
        object.put("verdict", outcome.verdict().word());
        object.put("worse", worse.size());
        List<Object> findings = new ArrayList<>();
        for (Row row : worse.subList(0, Math.min(max, worse.size()))) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("scenario", row.scenario());
            one.put("cell", row.cell());
            one.put("metric", row.metric());
            one.put("base", row.base());
            one.put("new", row.now());
            one.put("change", row.change());
            one.put("certainty", row.certainty());
            one.put("remark", row.remark());
            findings.add(one);
        }
        object.put("findings", findings);
        object.put("notes", outcome.notes());
        return JsonLine.write(object) + "\n";
    }

    /** Returns one JSON object: verdict, notes and every finding or series, with all its numbers. */
    public static String json(String title, Outcome outcome) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("title", title);
        object.put("verdict", outcome.verdict().word());
        object.put("notes", outcome.notes());
        switch (outcome) {
            case Comparison comparison -> {
                object.put(
                        "findings",
                        comparison.findings().stream()
                                .map(RegressionFiles::object)
                                .toList());
                object.put(
                        "geometric_means",
                        comparison.means().stream().map(RegressionFiles::object).toList());
            }
            case RunHistory history -> {
                object.put("machine", history.machine());
                object.put(
                        "series",
                        history.series().stream().map(RegressionFiles::object).toList());
            }
        }
        return JsonLine.write(object) + "\n";
    }

    private static Map<String, @Nullable Object> object(RegressionFinding finding) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("scenario", finding.scenario());
        object.put("cell", finding.cell());
        object.put("metric", finding.metric());
        object.put("kind", finding.kind().word());
        object.put("verdict", finding.verdict().word());
        object.put("base", number(finding.base()));
        object.put("new", number(finding.now()));
        object.put("ratio", number(finding.ratio()));
        object.put("ratio_low", number(finding.low()));
        object.put("ratio_high", number(finding.high()));
        object.put("p_value", number(finding.pValue()));
        object.put("runs", finding.runs());
        object.put("more_runs", finding.moreRuns());
        object.put("reason", finding.reason());
        return object;
    }

    private static Map<String, @Nullable Object> object(GeometricMean mean) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("metric", mean.metric());
        object.put("rows", mean.rows());
        object.put("ratio", number(mean.ratio()));
        object.put("ratio_low", number(mean.low()));
        object.put("ratio_high", number(mean.high()));
        object.put("warnings", mean.warnings());
        return object;
    }

    private static Map<String, @Nullable Object> object(SeriesHistory series) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("scenario", series.scenario());
        object.put("cell", series.cell());
        object.put("metric", series.metric());
        object.put("kind", series.kind().word());
        object.put("verdict", series.verdict().word());
        object.put("results", series.points().size());
        object.put("newest", number(series.points().getLast().value()));
        object.put("reason", series.reason());
        List<Object> changes = new ArrayList<>();
        for (SeriesHistory.Change change : series.changes()) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("index", change.point().index());
            one.put("when", change.when().toString());
            one.put("commit", change.commit());
            one.put("last_before", change.lastBefore());
            one.put("before", number(change.point().before()));
            one.put("after", number(change.point().after()));
            one.put("p_value", number(change.point().pValue()));
            one.put("verdict", change.verdict().word());
            one.put("recent", change.recent());
            one.put("note", change.note());
            changes.add(one);
        }
        object.put("changes", changes);
        return object;
    }

    private static @Nullable Double number(double value) {
        return Double.isFinite(value) ? value : null;
    }
}

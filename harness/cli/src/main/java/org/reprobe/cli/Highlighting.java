package org.reprobe.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Colours lines that need attention: positions of errors, failures, missed claims. It writes behind
 * {@link org.reprobe.trust.PrintableOutput}, so that only its own codes reach the terminal. A line written in parts is
 * passed on unchanged.
 *
 * <p>run.sh sets {@code reprobe.colour} to the streams that are terminals; to none if NO_COLOR is set or TERM is dumb.
 */
final class Highlighting extends OutputStream {
    private static final String BOLD = "\u001b[1m";
    private static final String RED = "\u001b[1;31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String GREEN = "\u001b[32m";
    private static final String PLAIN = "\u001b[0m";

    private static final List<Rule> RULES = List.of(
            new Rule("^\\S.*?:\\d+:\\d+(?=: )", BOLD),
            new Rule("(?<=^ {0,9}\\| {0,999})\\^$", RED),
            new Rule("^FAILED\\b", RED),
            new Rule("^[1-9]\\d* (errors?|runs? failed)\\b", RED),
            new Rule("^\\*\\*\\* NOT RUN\\b|^Warning\\b|^# noise\\b", YELLOW),
            new Rule("\\b[1-9]\\d* missed\\b", RED),
            new Rule("^worse\\b", RED),
            new Rule("^better\\b", GREEN));

    private final PrintStream to;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean begun;

    private record Rule(Pattern pattern, String code) {
        Rule(String pattern, String code) {
            this(Pattern.compile(pattern), code);
        }

        String apply(String text) {
            return pattern.matcher(text).replaceFirst(found -> code + Matcher.quoteReplacement(found.group()) + PLAIN);
        }
    }

    private Highlighting(PrintStream to) {
        this.to = to;
    }

    /** Returns a stream to a terminal, coloured if {@code reprobe.colour} names it. */
    static PrintStream of(PrintStream to, String name) {
        boolean wanted = Arrays.asList(System.getProperty("reprobe.colour", "").split(",", -1))
                .contains(name);
        // Writers of lines flush it, not each character.
        return wanted ? new PrintStream(new Highlighting(to), false, to.charset()) : to;
    }

    static String coloured(String text) {
        String coloured = text;
        for (Rule rule : RULES) {
            coloured = rule.apply(coloured);
        }
        return coloured;
    }

    @Override
    public synchronized void write(int value) {
        if (value != '\n') {
            line.write(value);
            return;
        }
        if (begun) {
            pass();
        } else {
            to.writeBytes(coloured(line.toString(StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
        }
        to.write('\n');
        line.reset();
        begun = false;
    }

    private void pass() {
        to.writeBytes(line.toByteArray());
        line.reset();
    }

    @Override
    public synchronized void flush() {
        if (line.size() > 0) {
            begun = true;
            pass();
        }
        to.flush();
    }

    @Override
    public void close() {
        flush();
        to.close();
    }
}

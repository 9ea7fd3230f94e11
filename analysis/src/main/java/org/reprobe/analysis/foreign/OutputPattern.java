package org.reprobe.analysis.foreign;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** User's regular expression for the output of a program. A search fails if it needs too much time or stack. */
public final class OutputPattern {
    private static final long LIMIT_S = 10;

    private final Pattern pattern;

    /** @throws PatternSyntaxException if the text is not a regular expression, or nested too deeply */
    public OutputPattern(String expression) {
        try {
            pattern = Pattern.compile(expression, Pattern.MULTILINE);
        } catch (StackOverflowError e) {
            throw new PatternSyntaxException("Nested too deeply", expression, -1);
        }
    }

    public int groups() {
        return pattern.matcher("").groupCount();
    }

    /** Returns true if a part of a text matches; the search fails at time {@code endNs}. */
    public boolean isIn(String text, long endNs) throws UnusableOutputException {
        return find(pattern.matcher(new Timed(text, endNs)));
    }

    /** Returns a matcher for {@link #find}, whose time starts now. */
    Matcher matcher(String text) {
        return pattern.matcher(new Timed(text, System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S)));
    }

    /** Moves a matcher to the next match; returns false after the last one. */
    boolean find(Matcher matcher) throws UnusableOutputException {
        try {
            return matcher.find();
        } catch (StackOverflowError e) {
            throw new UnusableOutputException(
                    "the search for " + this
                            + " needs too much stack: repeat a set of characters, as in [\\s\\S]*, and not a group, as in (.|\\n)*");
        } catch (OutOfTime e) {
            throw new UnusableOutputException("the search for " + this
                    + " takes too long: avoid a repeated group that holds a repetition, as in (a+)+");
        }
    }

    @Override
    public String toString() {
        return OutputFile.shown(pattern.pattern());
    }

    /** Text that can be read until a time. */
    private static final class Timed implements CharSequence {
        private static final int LOOKS = (1 << 16) - 1;

        private final String text;
        private final long endNs;
        private int reads;

        Timed(String text, long endNs) {
            this.text = text;
            this.endNs = endNs;
        }

        @Override
        public char charAt(int index) {
            if ((++reads & LOOKS) == 0 && System.nanoTime() > endNs) {
                throw new OutOfTime();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final class OutOfTime extends RuntimeException {
        OutOfTime() {
            super(null, null, false, false);
        }
    }
}

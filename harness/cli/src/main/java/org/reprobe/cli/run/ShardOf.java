package org.reprobe.cli.run;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.cli.options.PlacedConversionException;
import picocli.CommandLine.ITypeConverter;

/** Shard of a run in the form {@code 3/8}; the first is 1. */
record ShardOf(int shard, int count) {
    /** Maximum number of shards, more than any cluster can use. */
    static final int MAX_COUNT = 10_000;

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(/?)(\\d{0,9})(.*)", Pattern.DOTALL);

    static final class Converter implements ITypeConverter<ShardOf> {
        private static final String RULE = "must be I/N, shard I of N with I from 1 to N, like 3/8";

        @Override
        public ShardOf convert(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new PlacedConversionException(RULE, 1);
            }
            for (int part = 2; part <= 3; part++) {
                if (form.group(part).isEmpty()) {
                    throw new PlacedConversionException(RULE, form.start(part) + 1);
                }
            }
            if (!form.group(4).isEmpty()) {
                throw new PlacedConversionException(RULE, form.start(4) + 1);
            }
            int shard = Integer.parseInt(form.group(1));
            int count = Integer.parseInt(form.group(3));
            if (count < 1 || count > MAX_COUNT) {
                throw new PlacedConversionException("N must be from 1 to " + MAX_COUNT, form.start(3) + 1);
            }
            if (shard < 1 || shard > count) {
                throw new PlacedConversionException("I must be from 1 to " + count, 1);
            }
            return new ShardOf(shard, count);
        }
    }

    @Override
    public String toString() {
        return shard + "/" + count;
    }
}

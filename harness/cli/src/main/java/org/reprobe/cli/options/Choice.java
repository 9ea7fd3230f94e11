package org.reprobe.cli.options;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.foreign.ForeignFormat;
import org.reprobe.run.Fabrics;
import org.reprobe.scenario.Scale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of a word from a fixed set, for completion, which suggests the nearest of a misspelt one. */
public abstract class Choice<T> implements ITypeConverter<T>, Iterable<String> {
    /** Other names of verbs. */
    private static final Set<String> RDMA = Set.of("rdma", "infiniband", "ib", "roce", "rxe");

    private final String rule;
    private final Map<String, T> values;

    protected Choice(String rule, Map<String, T> values) {
        this.rule = rule;
        this.values = values;
    }

    @Override
    public final T convert(String word) {
        T value = values.get(word);
        if (value == null) {
            throw new TypeConversionException(rule + " " + String.join(", ", values.keySet()) + hint(word));
        }
        return value;
    }

    /** Returns a suggestion for a word, "" for none. */
    String hint(String word) {
        return Spelling.hint(word, values.keySet());
    }

    @Override
    public final Iterator<String> iterator() {
        return values.keySet().iterator();
    }

    /** Returns values by their words, in order. */
    protected static <T> Map<String, T> byWord(T[] values, Function<T, String> word) {
        return Arrays.stream(values)
                .collect(Collectors.toMap(word, Function.identity(), (a, _) -> a, LinkedHashMap::new));
    }

    private static Map<String, String> words(List<String> words) {
        return byWord(words.toArray(String[]::new), Function.identity());
    }

    static final class OfScale extends Choice<Scale> {
        OfScale() {
            super("must be one of", byWord(Scale.values(), Scale::key));
        }
    }

    public static final class OfFabric extends Choice<String> {
        OfFabric() {
            super("must be one of", words(Fabrics.NAMES));
        }

        @Override
        String hint(String word) {
            boolean rdma = RDMA.contains(word.toLowerCase(Locale.ROOT));
            return rdma ? "; did you mean \"verbs\"?" : super.hint(word);
        }
    }

    public static final class OfRealFabric extends Choice<String> {
        OfRealFabric() {
            super(
                    "histories in real time need one of",
                    words(Fabrics.NAMES.stream().filter(Fabrics::isReal).toList()));
        }
    }

    public static final class OfEngine extends Choice<String> {
        OfEngine() {
            super("must be", words(List.of("slurm")));
        }
    }

    public static final class OfForeignFormat extends Choice<ForeignFormat> {
        OfForeignFormat() {
            super("must be one of", byWord(ForeignFormat.values(), ForeignFormat::word));
        }
    }

    public static final class OfShell extends Choice<String> {
        OfShell() {
            super("must be one of", words(List.of("bash", "zsh")));
        }
    }
}

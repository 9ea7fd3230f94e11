package org.reprobe.cli.export;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.document.Spelling;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Format of an export. */
enum ExportFormat {
    ZIP,
    CSV,
    OPENMETRICS;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Converter of a format's word. */
    static final class Words implements ITypeConverter<ExportFormat>, Iterable<String> {
        private static final List<String> ALL =
                Arrays.stream(values()).map(ExportFormat::word).toList();

        @Override
        public ExportFormat convert(String word) {
            return Arrays.stream(values())
                    .filter(format -> format.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "must be one of " + String.join(", ", ALL) + Spelling.hint(word, ALL)));
        }

        @Override
        public Iterator<String> iterator() {
            return ALL.iterator();
        }
    }
}

package org.reprobe.cli.export;

import java.util.Locale;
import org.reprobe.cli.options.Choice;

/** Format of an export. */
enum ExportFormat {
    ZIP,
    CSV,
    OPENMETRICS;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Converter of a format's word. */
    static final class Words extends Choice<ExportFormat> {
        Words() {
            super("must be one of", byWord(ExportFormat.values(), ExportFormat::word));
        }
    }
}

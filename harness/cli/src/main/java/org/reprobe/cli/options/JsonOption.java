package org.reprobe.cli.options;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.WholeFile;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code --json}: results for programs. Keys are a record's components in snake_case with units last. */
public final class JsonOption {
    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = Target.class,
            description = "Also write results as JSON; - writes them to standard output instead of the text.")
    private @Nullable Path file;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Converter of a writable file or {@code -}, with other names of standard output as {@code -}. */
    public static final class Target implements ITypeConverter<Path> {
        @Override
        public Path convert(String text) throws IOException {
            if (text.equals(STANDARD_OUTPUT)) {
                return Path.of(STANDARD_OUTPUT);
            }
            Path file = new WritableFile().convert(text);
            return WholeFile.isStandardOutput(file) ? Path.of(STANDARD_OUTPUT) : file;
        }
    }

    private boolean toStandardOutput() {
        return file != null && file.toString().equals(STANDARD_OUTPUT);
    }

    /** Returns the writer for text: standard output, or a null writer when JSON goes there. */
    public PrintWriter text() {
        return toStandardOutput()
                ? new PrintWriter(Writer.nullWriter())
                : spec.commandLine().getOut();
    }

    public void write(Object record) throws IOException {
        if (file != null) {
            writeText(JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build()
                    .writeValueAsString(record));
        }
    }

    public void writeText(String json) throws IOException {
        if (toStandardOutput()) {
            spec.commandLine().getOut().println(json.stripTrailing());
            spec.commandLine().getOut().flush();
        } else if (file != null) {
            WritableFile.write(file, json.stripTrailing() + "\n");
        }
    }

    /** Returns a number that JSON can represent; null for others. */
    public static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }
}

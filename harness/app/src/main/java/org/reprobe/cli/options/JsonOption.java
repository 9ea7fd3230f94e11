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

/** {@code --json}: what came out, for programs. Keys are a record's components in snake_case; units stand last in them. */
public final class JsonOption {
    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = Target.class,
            description = "Write what came out as JSON as well; with - to standard output, in place of the text.")
    private @Nullable Path file;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** A file that can be written, or - . Standard output by another name, as /dev/stdout, is - too. */
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

    /** Where text goes: standard output, or nowhere when JSON goes there. */
    public PrintWriter text() {
        return toStandardOutput()
                ? new PrintWriter(Writer.nullWriter())
                : spec.commandLine().getOut();
    }

    /** Writes a record, if the user wants it. */
    public void write(Object record) throws IOException {
        if (file != null) {
            writeText(JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build()
                    .writeValueAsString(record));
        }
    }

    /** Writes what is JSON already, if the user wants it. */
    public void writeText(String json) throws IOException {
        if (toStandardOutput()) {
            spec.commandLine().getOut().println(json.stripTrailing());
            spec.commandLine().getOut().flush();
        } else if (file != null) {
            WritableFile.write(file, json.stripTrailing() + "\n");
        }
    }

    /** A number that JSON can hold; null for others. */
    public static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }
}

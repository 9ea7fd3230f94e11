package org.reprobe.analysis.measurement;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON object on one line, the form of {@code measurements.jsonl} and {@code claims.jsonl}. Equal content gives equal
 * bytes: keys keep their order, numbers have one notation.
 */
public final class JsonLine {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonLine() {}

    /**
     * Returns the object as one line, without the newline. Values may be null, text, booleans, whole numbers, finite
     * numbers, and maps and lists of these; other numbers are an {@link IllegalArgumentException}. Numbers of type
     * {@code Double} keep a decimal point, so that they are read as such, and have an exponent only outside 1e-9 to
     * 1e18.
     */
    public static String write(Map<String, ? extends @Nullable Object> object) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(new OneLine(), text)) {
            write(json, object);
        }
        return text.toString();
    }

    /** Parses a line; throws a {@code JacksonException} if it is not JSON, has a key twice or more than one value. */
    public static JsonNode read(String line) {
        return MAPPER.readTree(line);
    }

    /** Parses the first value of a text, as {@link #read}, whatever follows it. */
    public static JsonNode first(String text) {
        return MAPPER.reader()
                .without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(text);
    }

    /** Rounds a value to significant digits, for display; NaN and infinities stay. */
    public static double rounded(double value, int significantDigits) {
        return Double.isFinite(value)
                ? new BigDecimal(value)
                        .round(new MathContext(significantDigits))
                        .doubleValue()
                : value;
    }

    /** Formats a finite number for result files: the shortest digits that are read as the same double. */
    public static String number(double value) {
        return decimal(value).toPlainString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) {
        switch (value) {
            case null -> json.writeNull();
            case String text -> json.writeString(text);
            case Boolean flag -> json.writeBoolean(flag);
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Double number -> {
                double magnitude = Math.abs(number);
                if (magnitude != 0 && Double.isFinite(number) && (magnitude < 1e-9 || magnitude >= 1e18)) {
                    json.writeNumber(number);
                } else {
                    json.writeNumber(decimal(number));
                }
            }
            case Map<?, ?> object -> {
                json.writeStartObject();
                for (Map.Entry<?, ?> entry : object.entrySet()) {
                    json.writeName(String.valueOf(entry.getKey()));
                    write(json, entry.getValue());
                }
                json.writeEndObject();
            }
            case List<?> list -> {
                json.writeStartArray();
                for (Object element : list) {
                    write(json, element);
                }
                json.writeEndArray();
            }
            default -> throw new IllegalArgumentException("a result file cannot hold " + value);
        }
    }

    private static BigDecimal decimal(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("a result file cannot hold the number " + value);
        }
        BigDecimal decimal = BigDecimal.valueOf(value);
        return decimal.scale() < 1 ? decimal.setScale(1) : decimal;
    }

    /** Spaces behind colons and commas, no line breaks. */
    private static final class OneLine extends ObjectWriteContext.Base {
        private static final Separators SEPARATORS = Separators.createDefaultInstance()
                .withObjectNameValueSpacing(Separators.Spacing.AFTER)
                .withObjectEntrySpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("");

        @Override
        public PrettyPrinter getPrettyPrinter() {
            DefaultPrettyPrinter printer = new DefaultPrettyPrinter(SEPARATORS);
            printer.indentObjectsWith(new DefaultPrettyPrinter.NopIndenter());
            return printer;
        }

        @Override
        public boolean hasPrettyPrinter() {
            return true;
        }
    }
}

package org.reprobe.analysis.foreign;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Value of a JSON text with its place, from 1. NaN and infinities are numbers, as Google Benchmark writes them.
 *
 * @param written a number in the file's notation, so that 3.10 stays 3.10; "" for other values
 */
record PlacedValue(@Nullable Object value, String written, int line, int column) {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /** Reference to an earlier place in Jackson's messages, without that place. */
    private static final Pattern START = Pattern.compile(" *\\(start marker at \\[.*?\\]\\)", Pattern.DOTALL);

    /** @throws InvalidInputException if the text is not JSON, with the place of the error, or has a name twice */
    static PlacedValue parse(ForeignText file) throws InvalidInputException {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), file.text())) {
            if (parser.nextToken() == null) {
                throw new InvalidInputException(file.problem(1, 1, "is empty; a JSON value is expected"));
            }
            PlacedValue value = read(file, parser);
            if (parser.nextToken() != null) {
                throw new InvalidInputException(file.problem(
                        parser.currentTokenLocation().getLineNr(),
                        parser.currentTokenLocation().getColumnNr(),
                        "one JSON value is expected, but here a second one begins"));
            }
            return value;
        } catch (JacksonException e) {
            int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
            int column =
                    e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getColumnNr());
            throw new InvalidInputException(file.problem(
                    line,
                    column,
                    "damaged JSON: " + START.matcher(e.getOriginalMessage()).replaceAll("")));
        }
    }

    private static PlacedValue read(ForeignText file, JsonParser parser) throws InvalidInputException {
        int line = parser.currentTokenLocation().getLineNr();
        int column = parser.currentTokenLocation().getColumnNr();
        JsonToken token = parser.currentToken();
        Object value = switch (token) {
            case START_OBJECT -> {
                Map<String, PlacedValue> members = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    PlacedValue member = read(file, parser);
                    if (members.put(name, member) != null) {
                        throw new InvalidInputException(
                                file.problem(member.line, member.column, "\"" + name + "\" is twice in this object"));
                    }
                }
                yield members;
            }
            case START_ARRAY -> {
                List<PlacedValue> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(read(file, parser));
                }
                yield elements;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
        return new PlacedValue(value, token.isNumeric() ? parser.getString() : "", line, column);
    }

    boolean isObject() {
        return value instanceof Map;
    }

    /** Returns a member of an object; null if there is none. */
    @Nullable
    PlacedValue member(String name) {
        return value instanceof Map<?, ?> members && members.get(name) instanceof PlacedValue member ? member : null;
    }

    /** Returns the members of an object by name; none for other values. */
    Map<String, PlacedValue> members() {
        Map<String, PlacedValue> members = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> all) {
            all.forEach((name, member) -> members.put(String.valueOf(name), (PlacedValue) member));
        }
        return members;
    }

    /** Returns the elements of a list; null for other values. */
    @Nullable
    List<PlacedValue> elements() {
        return value instanceof List<?> all
                ? all.stream().map(element -> (PlacedValue) element).toList()
                : null;
    }

    /** Returns a text's content; null for other values. */
    @Nullable
    String text() {
        return value instanceof String text ? text : null;
    }

    /** Returns a number, or NaN for the text by which JMH writes it; null for other values. */
    @Nullable
    Double number() {
        return switch (value) {
            case Double number -> number;
            case String text when text.matches("NaN|[+-]?(INF|Infinity)") -> Double.NaN;
            case null, default -> null;
        };
    }

    String shown() {
        return switch (value) {
            case null -> "null";
            case Double _ -> written;
            case Map<?, ?> _ -> "an object";
            case List<?> _ -> "a list";
            default -> value.toString();
        };
    }
}

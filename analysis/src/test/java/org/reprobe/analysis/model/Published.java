package org.reprobe.analysis.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;

/** Numbers that tests compare with, from the files beside them. */
final class Published {
    private Published() {}

    /** Returns the rows of a file of comma-separated numbers; # starts a comment. */
    static List<double[]> rows(String file) {
        try (Reader reader = open(file)) {
            return reader.readAllLines().stream()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> Arrays.stream(line.split(","))
                            .mapToDouble(Double::parseDouble)
                            .toArray())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ReadSizeModel.Parameters parameters() {
        Properties properties = new Properties();
        try (Reader reader = open("linear-probing-2020-section-5.1.properties")) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ReadSizeModel.Parameters(
                number(properties, "fixed-cost-ns"),
                number(properties, "link-ns-per-byte"),
                number(properties, "peak-messages-per-second"),
                (int) number(properties, "header-bytes"));
    }

    private static double number(Properties properties, String key) {
        return Double.parseDouble(properties.getProperty(key));
    }

    private static Reader open(String file) {
        InputStream in = Objects.requireNonNull(Published.class.getResourceAsStream(file), file);
        return new InputStreamReader(in, StandardCharsets.UTF_8);
    }
}

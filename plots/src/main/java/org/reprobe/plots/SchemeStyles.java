package org.reprobe.plots;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** Names and styles of schemes in figures, provided by the program as a {@link ServiceLoader} service. */
@FunctionalInterface
public interface SchemeStyles {
    /**
     * Style of a scheme by its name in scenario files: the paper's name, and the number of its colour, dashes and
     * marker in every figure. A negative number leaves the choice to each figure.
     */
    record Style(String name, String title, int look) {}

    List<Style> styles();

    /** Returns all provided styles, by the schemes' names. */
    static Map<String, Style> all() {
        Map<String, Style> all = new HashMap<>();
        ServiceLoader.load(SchemeStyles.class)
                .forEach(provider -> provider.styles().forEach(style -> all.put(style.name(), style)));
        return Map.copyOf(all);
    }
}

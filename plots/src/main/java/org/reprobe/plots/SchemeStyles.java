package org.reprobe.plots;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** What schemes are called and look like in figures. The program provides it, by {@link ServiceLoader}. */
@FunctionalInterface
public interface SchemeStyles {
    /**
     * A scheme in figures.
     *
     * @param name in scenario files
     * @param title the paper's name for it
     * @param look number of its colour, dashes and marker, the same in every figure; negative for one that the figure has left
     */
    record Style(String name, String title, int look) {}

    List<Style> styles();

    /** All that are provided, by the schemes' names. */
    static Map<String, Style> all() {
        Map<String, Style> all = new HashMap<>();
        ServiceLoader.load(SchemeStyles.class)
                .forEach(provider -> provider.styles().forEach(style -> all.put(style.name(), style)));
        return Map.copyOf(all);
    }
}

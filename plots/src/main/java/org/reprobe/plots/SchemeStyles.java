package org.reprobe.plots;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** Names and styles of schemes in figures, provided by the program as a {@link ServiceLoader} service. */
@FunctionalInterface
public interface SchemeStyles {
    /** Scheme's name in files, its title in the paper, and the number of its look, negative if a figure may choose. */
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

package org.reprobe.run;

import java.util.List;
import org.reprobe.plots.SchemeStyles;
import org.reprobe.system.Systems;

/** Titles and styles of all systems' schemes, for figures. */
public final class StylesOfSystems implements SchemeStyles {
    @Override
    public List<Style> styles() {
        return Systems.schemes().stream()
                .map(scheme -> new Style(scheme.name(), scheme.title(), scheme.look()))
                .toList();
    }
}

package org.reprobe.system;

import java.util.List;
import org.reprobe.plots.SchemeStyles;

/** What the systems say of their schemes in figures. */
public final class StylesOfSystems implements SchemeStyles {
    @Override
    public List<Style> styles() {
        return Systems.schemes().stream()
                .map(scheme -> new Style(scheme.name(), scheme.title(), scheme.look()))
                .toList();
    }
}

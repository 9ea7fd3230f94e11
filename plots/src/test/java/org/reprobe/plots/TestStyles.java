package org.reprobe.plots;

import java.util.List;

/** Titles and styles of the kind that the program provides. */
public final class TestStyles implements SchemeStyles {
    @Override
    public List<Style> styles() {
        return List.of(
                new Style("linear-variable", "Variable Linear", 0),
                new Style("linear-fixed", "Fixed Linear", 1),
                new Style("cuckoo-parallel", "Parallel Cuckoo", 2),
                new Style("linear-variable-unconstrained", "Var. Linear (uncons.)", 3),
                new Style("cuckoo-sequential", "Sequential Cuckoo", 4),
                new Style("hopscotch", "Hopscotch", 5),
                new Style("hopscotch-chained", "Chained Hopscotch", 6));
    }
}

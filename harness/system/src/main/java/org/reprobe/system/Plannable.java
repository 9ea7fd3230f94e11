package org.reprobe.system;

import java.util.List;
import org.reprobe.analysis.plan.PlannedScheme;

/** System with schemes that {@code plan} compares. */
public interface Plannable extends SystemUnderTest {

    /** Returns the schemes for {@code plan}, with the network requests of their lookups. */
    List<PlannedScheme> planned();
}

package org.reprobe.system;

import java.util.List;
import org.reprobe.analysis.plan.PlannedScheme;

/** System with schemes for {@code plan}. */
public interface Plannable extends SystemUnderTest {

    /** Returns these schemes with the network requests of their lookups. */
    List<PlannedScheme> planned();
}

package org.reprobe.system;

import java.util.List;
import org.reprobe.analysis.plan.PlannedScheme;

/** A system with schemes that {@code plan} may choose. */
public interface Plannable extends SystemUnderTest {

    /** Returns these schemes, with what their lookups request from the network. */
    List<PlannedScheme> planned();
}

package org.reprobe.trial;

import java.util.List;
import java.util.Map;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;

/** Number of round trips of a system's operations, for one or several variants of its algorithm. */
public interface RoundTrips {

    @FunctionalInterface
    interface NewFabric {
        Fabric open() throws FabricException;
    }

    /** Returns the title of the table of round trips. */
    String about();

    /** Returns the name of a NIC profile that supports all variants. Its speed has no effect on the result. */
    String nic();

    /** Returns the names of the variants, in order. */
    List<String> variants();

    /** Returns the mean number of round trips by operation, in display order, one number per variant. */
    Map<String, List<Double>> count(NewFabric fabrics) throws FabricException, InterruptedException;
}

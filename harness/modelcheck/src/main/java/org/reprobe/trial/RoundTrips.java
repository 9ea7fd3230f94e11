package org.reprobe.trial;

import java.util.List;
import java.util.Map;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;

/** Round trips of a system's operations, for one or several variants of its algorithm. */
public interface RoundTrips {

    @FunctionalInterface
    interface NewFabric {
        Fabric open() throws FabricException;
    }

    String about();

    /** Name of a NIC profile that supports all variants; its speed is irrelevant. */
    String nic();

    List<String> variants();

    /** Mean round trips by operation, in display order, one number per variant. */
    Map<String, List<Double>> count(NewFabric fabrics) throws FabricException, InterruptedException;
}

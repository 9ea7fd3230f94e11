package org.reprobe.trial;

import java.util.List;
import java.util.Map;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;

/** Counts the round trips of a system's operations, for one or several variants of its algorithm. */
public interface RoundTrips {

    /** Opens an empty simulated fabric. */
    @FunctionalInterface
    interface NewFabric {
        Fabric open() throws FabricException;
    }

    /** A sentence on how they are counted, for people. */
    String about();

    /** Name of a NIC profile that can do all variants; how fast the card is does not matter. */
    String nic();

    /** Names of the variants. */
    List<String> variants();

    /** Mean round trips by operation, in the order shown, a number for each variant. */
    Map<String, List<Double>> count(NewFabric fabrics) throws FabricException, InterruptedException;
}

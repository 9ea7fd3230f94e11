package org.reprobe.run;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.scenario.Settings;

/** The one place that knows the fabrics by name. */
final class Fabrics {
    private Fabrics() {}

    /** Why a fabric can't be had; null when it can. */
    static @Nullable String unavailable(String fabric) {
        return fabric.equals("sim") ? null : "fabric " + fabric + " is not there yet; sim is";
    }

    /** Opens the fabric that a cell asks for. */
    static Fabric open(Settings settings, NicProfile nic, long seed) throws FabricException {
        return open(settings.fabric(), settings.clients().machines(), nic, seed);
    }

    /** Opens a fabric by its name. */
    static Fabric open(String fabric, int machines, NicProfile nic, long seed) throws FabricException {
        String unavailable = unavailable(fabric);
        if (unavailable != null) {
            throw new FabricException(unavailable);
        }
        return new SimFabric(nic, machines, seed);
    }
}

package org.reprobe.run;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.scenario.Settings;

/** The one place that knows the fabrics by name. */
final class Fabrics {
    private Fabrics() {}

    /** Opens the fabric that a cell asks for. */
    static Fabric open(Settings settings, NicProfile nic, long seed) throws FabricException {
        return switch (settings.fabric()) {
            case "sim" -> new SimFabric(nic, settings.clients().machines(), seed);
            default -> throw new FabricException("fabric " + settings.fabric() + " is not there yet; sim is");
        };
    }
}

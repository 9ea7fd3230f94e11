package org.reprobe.fabric.verbs;

import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;

/** Real RDMA with server and clients in one process: through the card, not around it. */
public final class VerbsFabric {
    private VerbsFabric() {}

    /** Opens it on the address that {@code -Dreprobe.verbs.address} or REPROBE_VERBS_ADDRESS names, else the first with RDMA. */
    public static Fabric open() throws FabricException {
        return new LocalFabric("verbs", new VerbsServer(), VerbsClients::new);
    }
}

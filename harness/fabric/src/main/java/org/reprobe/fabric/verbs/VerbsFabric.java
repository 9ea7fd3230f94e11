package org.reprobe.fabric.verbs;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;

/** RDMA fabric with servers and clients in one process, connected through the card. */
public final class VerbsFabric {
    private VerbsFabric() {}

    /** Opens the fabric on the address that {@link RdmaAddresses} selects. */
    public static Fabric open(int servers) throws FabricException {
        List<VerbsServer> opened = new ArrayList<>();
        try {
            for (int server = 0; server < servers; server++) {
                opened.add(new VerbsServer());
            }
        } catch (FabricException e) {
            opened.forEach(VerbsServer::close);
            throw e;
        }
        return new LocalFabric("verbs", opened, VerbsClients::new);
    }
}

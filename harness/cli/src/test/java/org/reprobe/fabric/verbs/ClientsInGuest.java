package org.reprobe.fabric.verbs;

import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;

/** Client process that reads until it is killed. */
final class ClientsInGuest {
    /** Output after the first READ. */
    static final String READING = "reading";

    private ClientsInGuest() {}

    /** Arguments: a server's endpoint, and a region's address, bytes and key. */
    public static void main(String[] arguments) throws Exception {
        RemoteRegion region = new RemoteRegion(
                Long.parseLong(arguments[1]), Long.parseLong(arguments[2]), Integer.parseInt(arguments[3]));
        try (VerbsClients clients = new VerbsClients(Servers.one(arguments[0]))) {
            clients.run(Group.alone(1), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(16, 4));
                queuePair.read(0, 0, region.address(), region.key(), 8, true);
                VerbsFailuresInGuest.succeeds(queuePair);
                System.out.println(READING);
                VerbsFailuresInGuest.readForEver(queuePair, region);
            });
        }
    }
}

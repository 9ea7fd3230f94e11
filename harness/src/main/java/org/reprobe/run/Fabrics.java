package org.reprobe.run;

import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.fabric.sim.Miniature;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.fabric.verbs.VerbsClients;
import org.reprobe.fabric.verbs.VerbsServer;
import org.reprobe.scenario.SchemeName;
import org.reprobe.scenario.Settings;

/** The one place that knows the fabrics by name. */
public final class Fabrics {
    private static final List<String> THERE = List.of("sim", "shm", "tcp", "verbs");

    private Fabrics() {}

    /** Why a fabric can't be had; null when it can. */
    static @Nullable String unavailable(String fabric) {
        return THERE.contains(fabric)
                ? null
                : "fabric " + fabric + " is not there yet; " + String.join(", ", THERE) + " are";
    }

    /** True when server and clients are processes and run in real time. */
    public static boolean isReal(String fabric) {
        return !fabric.equals("sim");
    }

    /** True when a fabric's atomics need not be atomic against those of the server's CPU. */
    static boolean hasAtomicsOfItsOwn(String fabric) {
        return fabric.equals("verbs");
    }

    /** Opens the simulated fabric that a cell asks for. */
    static Fabric simulated(Settings settings, NicProfile nic, long seed) {
        int machines = settings.clients().machines();
        Miniature miniature =
                new Miniature(settings.table().scale(), settings.connection().scale());
        return settings.scheme() == SchemeName.FIND_OR_PUT
                ? SimFabric.peers(nic, machines, seed)
                : new SimFabric(nic, machines, miniature, seed);
    }

    /** Opens a fabric of one server and one client machine by its name; a real one in this process alone. */
    static Fabric open(String fabric, NicProfile nic, long seed) throws FabricException {
        String unavailable = unavailable(fabric);
        if (unavailable != null) {
            throw new FabricException(unavailable);
        }
        return isReal(fabric)
                ? new LocalFabric(fabric, List.of(serve(fabric, "127.0.0.1")), servers -> connect(fabric, servers))
                : new SimFabric(nic, 1, seed);
    }

    /**
     * Opens the server's half of a real fabric.
     *
     * @param address of this host that clients can reach; a loopback address when they are on this host
     */
    public static FabricServer serve(String fabric, String address) throws FabricException {
        return switch (fabric) {
            case "shm" -> ShmServer.open();
            case "tcp" -> new TcpServer(new InetSocketAddress(address, 0), TcpSettings.defaults());
            case "verbs" -> VerbsServer.at(address);
            default -> throw new FabricException("fabric " + fabric + " has no processes");
        };
    }

    /** Opens the clients' half of a real fabric. */
    public static FabricClients connect(String fabric, Servers servers) throws FabricException {
        return switch (fabric) {
            case "shm" -> ShmClients.connect(servers);
            case "tcp" -> new TcpClients(servers, TcpSettings.defaults());
            case "verbs" -> new VerbsClients(servers);
            default -> throw new FabricException("fabric " + fabric + " has no processes");
        };
    }
}

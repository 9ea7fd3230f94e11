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
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
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

    /** Opens the simulated fabric that a cell asks for. */
    static Fabric open(Settings settings, NicProfile nic, long seed) throws FabricException {
        if (settings.scheme() == SchemeName.FIND_OR_PUT && !isReal(settings.fabric())) {
            return SimFabric.peers(nic, settings.clients().machines(), seed);
        }
        return open(settings.fabric(), settings.clients().machines(), nic, seed);
    }

    /** Opens a fabric by its name. */
    static Fabric open(String fabric, int machines, NicProfile nic, long seed) throws FabricException {
        String unavailable = unavailable(fabric);
        if (unavailable != null) {
            throw new FabricException(unavailable);
        }
        return isReal(fabric)
                ? new LocalFabric(fabric, serve(fabric, "127.0.0.1"), endpoint -> connect(fabric, endpoint))
                : new SimFabric(nic, machines, seed);
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
    public static FabricClients connect(String fabric, String endpoint) throws FabricException {
        return switch (fabric) {
            case "shm" -> ShmClients.connect(endpoint);
            case "tcp" -> new TcpClients(endpoint, TcpSettings.defaults());
            case "verbs" -> new VerbsClients(endpoint);
            default -> throw new FabricException("fabric " + fabric + " has no processes");
        };
    }
}

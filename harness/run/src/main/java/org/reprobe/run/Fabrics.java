package org.reprobe.run;

import java.net.InetSocketAddress;
import java.util.List;
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
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.fabric.verbs.VerbsClients;
import org.reprobe.fabric.verbs.VerbsServer;
import org.reprobe.system.Deployment;
import org.reprobe.system.Settings;

/** Fabrics by name. */
public final class Fabrics {
    public static final List<String> NAMES = List.of("sim", "shm", "tcp", "verbs");

    private Fabrics() {}

    /** Returns true if server and clients are processes and run in real time. */
    public static boolean isReal(String fabric) {
        return !fabric.equals("sim");
    }

    static Fabric simulated(Settings settings, NicProfile nic, Deployment deployment, FaultPlan faults, long seed) {
        int machines = settings.clients().machines();
        Miniature miniature = new Miniature(
                settings.table().scale() * deployment.memoryScale(),
                settings.connection().scale());
        Placement placement = deployment.clientsServe()
                ? Placement.together(machines)
                : new Placement(deployment.servers(), deployment.serverThreads(), machines, deployment.coroutines());
        SimFabric fabric = new SimFabric(nic, placement, miniature, seed);
        return fabric.withFaults(faults.faults(), settings.connection().retransmission(nic));
    }

    /** Opens a fabric of one server and one client machine by name; a real one within this process. */
    public static Fabric open(String fabric, NicProfile nic, long seed) throws FabricException {
        return isReal(fabric)
                ? new LocalFabric(fabric, List.of(serve(fabric, "127.0.0.1")), servers -> connect(fabric, servers))
                : new SimFabric(nic, 1, seed);
    }

    /** Opens a real fabric's server side at an address of this host; a loopback address if clients are on it. */
    public static FabricServer serve(String fabric, String address) throws FabricException {
        return switch (fabric) {
            case "shm" -> ShmServer.open();
            case "tcp" -> new TcpServer(new InetSocketAddress(address, 0), TcpSettings.defaults());
            case "verbs" -> VerbsServer.at(address);
            default -> throw new FabricException("fabric " + fabric + " has no processes");
        };
    }

    /** Deletes files of killed servers on this host. */
    public static void deleteLeftovers() {
        ShmServer.deleteLeftovers();
    }

    /** Connects to servers with the queue pairs of a scenario. */
    public static FabricClients connect(Settings settings, Servers servers) throws FabricException {
        Settings.Connection connection = settings.connection();
        return settings.fabric().equals("verbs")
                ? new VerbsClients(servers, connection.timeout(), connection.retryCount())
                : connect(settings.fabric(), servers);
    }

    public static FabricClients connect(String fabric, Servers servers) throws FabricException {
        return switch (fabric) {
            case "shm" -> ShmClients.connect(servers);
            case "tcp" -> new TcpClients(servers, TcpSettings.defaults());
            case "verbs" -> new VerbsClients(servers);
            default -> throw new FabricException("fabric " + fabric + " has no processes");
        };
    }
}

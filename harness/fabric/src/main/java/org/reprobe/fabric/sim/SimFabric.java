package org.reprobe.fabric.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Servers;

/**
 * A network of one server and some client machines whose cards are simulated, in virtual time, from the constants of a
 * NIC profile; or of {@link #peers peers}. Same profile, seed and programs: same run.
 */
public final class SimFabric implements Fabric {
    private final NicProfile nic;
    private final CardTimes times;
    private final int machines;
    private final long seed;
    private final ServerCard[] servers;
    private final boolean peers;
    private final Arena memory = Arena.ofShared();
    private @Nullable Faults faults;
    private @Nullable FaultSchedule schedule;
    /** By server: the program whose time registering takes; none when nothing runs. */
    private List<@Nullable SimServer> serving = List.of();

    /**
     * A simulated network for one run.
     *
     * @param machines client machines, each with a card of its own; clients are dealt out to them in turn
     * @param seed of the cards' jitter
     */
    public SimFabric(NicProfile nic, int machines, long seed) {
        this(nic, machines, Miniature.NONE, seed);
    }

    /**
     * A simulated network that stands for a larger experiment.
     *
     * @param machines as above
     */
    public SimFabric(NicProfile nic, int machines, Miniature miniature, long seed) {
        this(nic, machines, 1, false, miniature, seed);
    }

    private SimFabric(NicProfile nic, int machines, int servers, boolean peers, Miniature miniature, long seed) {
        this.nic = nic;
        this.times = CardTimes.of(nic, miniature);
        this.machines = machines;
        this.seed = seed;
        this.peers = peers;
        this.servers = new ServerCard[servers];
        Arrays.setAll(this.servers, _ -> new ServerCard(times));
    }

    /**
     * A simulated network of machines that are clients and servers at once: server i is the machine of clients i,
     * i + {@code machines} and so on. A card works in both directions at the same time.
     */
    public static SimFabric peers(NicProfile nic, int machines, long seed) {
        return new SimFabric(nic, machines, machines, true, Miniature.NONE, seed);
    }

    /**
     * What is to go wrong in each run.
     *
     * @param retryNs how long a card tries again, and a connection is made, before it is given up
     */
    private record Faults(List<Fault> faults, long retryNs) {}

    /**
     * Has things go wrong in each of its runs.
     *
     * @param retryNs how long cards try again, and how long connections are tried to be made, until they are given up
     * @return itself
     */
    public SimFabric withFaults(List<? extends Fault> faults, long retryNs) {
        this.faults = faults.isEmpty() ? null : new Faults(List.copyOf(faults), retryNs);
        return this;
    }

    /** Those of the run that is on; null for a run in which nothing goes wrong. */
    @Nullable
    FaultSchedule faults() {
        return schedule;
    }

    /** A machine's memory is lost, unless it keeps it. */
    void crashed(Fault.Crash crash) {
        if (crash.machine().serves() && !crash.keepsMemory()) {
            servers[crash.machine().number()].forgetRegions();
        }
    }

    @Override
    public String name() {
        return "sim";
    }

    @Override
    public Kind kind() {
        return Kind.SIMULATED;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, memory);
    }

    @Override
    public RemoteRegion register(MemorySegment memory) {
        return register(0, memory);
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        deregister(0, region);
    }

    private RemoteRegion register(int server, MemorySegment memory) {
        holdUp(server, times.setUp().registerPs(memory.byteSize()));
        return servers[server].register(memory);
    }

    private void deregister(int server, RemoteRegion region) throws FabricException {
        holdUp(server, times.setUp().deregisterPs(region.bytes()));
        servers[server].deregister(region);
    }

    private void holdUp(int server, long ps) {
        SimServer here = server < serving.size() ? serving.get(server) : null;
        if (here != null && ps > 0) {
            here.holdUp(ps);
        }
    }

    @Override
    public int servers() {
        return servers.length;
    }

    @Override
    public RegisteredMemory memory(int server) throws FabricException {
        server(server); // refuses one that is not there
        return memoryOf(server);
    }

    RegisteredMemory memoryOf(int server) {
        return new RegisteredMemory() {
            @Override
            public MemorySegment allocate(long bytes) throws FabricException {
                return SimFabric.this.allocate(bytes);
            }

            @Override
            public RemoteRegion register(MemorySegment memory) {
                return SimFabric.this.register(server, memory);
            }

            @Override
            public void deregister(RemoteRegion region) throws FabricException {
                SimFabric.this.deregister(server, region);
            }
        };
    }

    @Override
    public void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> programs)
            throws FabricException, InterruptedException {
        if (programs.size() > servers.length) {
            Servers.check(programs.size() - 1, servers.length);
        }
        for (ServerCard server : servers) {
            server.reset();
        }
        Faults planned = faults;
        schedule = planned == null ? null : new FaultSchedule(planned.faults(), servers.length, planned.retryNs());
        VirtualTime time = new VirtualTime(this, clients, programs);
        ClientCard[] cards = new ClientCard[machines];
        for (int i = 0; i < machines; i++) {
            cards[i] = new ClientCard(times);
        }
        try (Arena arena = Arena.ofShared()) {
            for (int i = 0; i < clients; i++) {
                int machine = i % machines;
                int node = peers ? machine : servers.length + machine;
                time.addClient(new SimClient(i, machine, node, this, time, cards[machine], arena, program));
            }
            serving = time.servers();
            int actor = clients;
            for (int i = 0; i < serving.size(); i++) {
                SimServer server = serving.get(i);
                if (server != null) {
                    ClientProgram serves = client -> server.run((SimClient) client);
                    time.addClient(new SimClient(actor++, i, i, this, time, new ClientCard(times), arena, serves));
                }
            }
            time.run();
        } finally {
            serving = List.of();
        }
    }

    void check(ConnectionOptions options) throws FabricException {
        NicProfile.Limits limits = nic.limits();
        if (options.sendQueue() < 1 || options.sendQueue() > limits.sendQueue()) {
            throw new FabricException("a send queue of " + options.sendQueue() + " is not possible: " + nic.title()
                    + " allows 1 to " + limits.sendQueue());
        }
        if (options.outstandingReads() < 1 || options.outstandingReads() > limits.outstandingReads()) {
            throw new FabricException(options.outstandingReads() + " outstanding READs are not possible: " + nic.title()
                    + " allows 1 to " + limits.outstandingReads());
        }
    }

    CardTimes times() {
        return times;
    }

    ServerCard server(int number) throws FabricException {
        Servers.check(number, servers.length);
        return servers[number];
    }

    /**
     * Has a server's program be told of what others write to its memory.
     *
     * @return when the last known WRITE of the 8 bytes at {@code address} of this process lands
     */
    long watchedBy(int number, SimServer server, long address) {
        return servers[number].watchedBy(server, address);
    }

    /** What a client's round trips to a server take longer for want of a switch that joins both. */
    long furtherPs(int machine, int server) {
        CardTimes.Cluster cluster = times.cluster();
        return peers && cluster.apart(machine, server) ? cluster.furtherSwitchesPs() : 0;
    }

    /** Whether a server is a client's own machine. */
    boolean isLocal(int machine, int server) {
        return peers && machine == server;
    }

    long seed() {
        return seed;
    }

    @Override
    public void close() {
        memory.close();
    }
}

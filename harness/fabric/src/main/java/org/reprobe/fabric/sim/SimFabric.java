package org.reprobe.fabric.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.RetransmissionTimes;
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
 * Network of machines with simulated cards in virtual time. A NIC profile gives the constants. Deterministic: the same
 * profile, placement, seed and programs give the same run.
 */
public final class SimFabric implements Fabric {
    private final NicProfile nic;
    private final CardTimes times;
    private final Placement placement;
    private final long seed;
    /** Serving cards by machine. */
    private final ServerCard[] responders;

    private final Arena memory = Arena.ofShared();
    private @Nullable Faults faults;
    private @Nullable FaultSchedule schedule;
    /** Shared queue pairs by machine, remote machine and share. */
    private final Map<List<Integer>, QueuePairState> sharedQueuePairs = new HashMap<>();
    /** Shared doorbells by machine and their number. */
    private final Map<List<Integer>, Doorbells> sharedDoorbells = new HashMap<>();
    /** Server programs by server number, which are charged for registrations; empty between runs. */
    private List<@Nullable SimServer> serving = List.of();

    /** Creates a network with one server, and clients assigned round-robin to machines of their own. */
    public SimFabric(NicProfile nic, int clientMachines, long seed) {
        this(nic, Placement.apart(clientMachines), Miniature.NONE, seed);
    }

    public SimFabric(NicProfile nic, Placement placement, long seed) {
        this(nic, placement, Miniature.NONE, seed);
    }

    /** Creates a network that represents a larger experiment. */
    public SimFabric(NicProfile nic, Placement placement, Miniature miniature, long seed) {
        this.nic = nic;
        this.times = CardTimes.of(nic, miniature);
        this.placement = placement;
        this.seed = seed;
        this.responders = new ServerCard[placement.machines()];
        Arrays.setAll(responders, _ -> new ServerCard(times));
    }

    private record Faults(List<Fault> faults, RetransmissionTimes retransmission) {}

    /**
     * Injects faults into each run.
     *
     * @param retransmission of requests; an attempt to connect ends when a card would report an error
     * @return this fabric
     */
    public SimFabric withFaults(List<? extends Fault> faults, RetransmissionTimes retransmission) {
        this.faults = faults.isEmpty() ? null : new Faults(List.copyOf(faults), retransmission);
        return this;
    }

    @Nullable
    FaultSchedule faults() {
        return schedule;
    }

    void crashed(Fault.Crash crash) {
        if (crash.machine().serves() && !crash.keepsMemory()) {
            responders[crash.machine().number()].forgetRegions();
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
        return responder(server).register(memory);
    }

    private void deregister(int server, RemoteRegion region) throws FabricException {
        holdUp(server, times.setUp().deregisterPs(region.bytes()));
        responder(server).deregister(region);
    }

    private void holdUp(int server, long ps) {
        SimServer active = server < serving.size() ? serving.get(server) : null;
        if (active != null && ps > 0) {
            active.holdUp(ps);
        }
    }

    @Override
    public int servers() {
        return placement.servers();
    }

    @Override
    public RegisteredMemory memory(int server) throws FabricException {
        Servers.check(server, placement.servers());
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
        if (programs.size() > placement.servers()) {
            Servers.check(programs.size() - 1, placement.servers());
        }
        for (int machine = 0; machine < responders.length; machine++) {
            responders[machine].reset(new SplittableRandom(seed + machine).nextLong());
        }
        sharedQueuePairs.clear();
        sharedDoorbells.clear();
        Faults planned = faults;
        schedule = planned == null
                ? null
                : new FaultSchedule(planned.faults(), placement.serverMachines(), planned.retransmission());
        VirtualTime time = new VirtualTime(this, clients, programs);
        ClientCard[] cards = new ClientCard[placement.machines()];
        Arrays.setAll(cards, machine -> new ClientCard(times, responders[machine]));
        int coroutines = placement.coroutines();
        int[] sharing = new int[placement.machines()];
        for (int i = 0; i < clients; i += coroutines) {
            sharing[placement.machineOfClient(i)]++;
        }
        Cpu[] cpus = new Cpu[coroutines == 1 ? 0 : Math.ceilDiv(clients, coroutines)];
        Arrays.setAll(cpus, _ -> new Cpu(time));
        try (Arena arena = Arena.ofShared()) {
            for (int i = 0; i < clients; i++) {
                int machine = placement.machineOfClient(i);
                Cpu cpu = coroutines == 1 ? null : cpus[i / coroutines];
                time.addClient(
                        new SimClient(i, machine, this, time, cards[machine], arena, sharing[machine], cpu, program));
            }
            serving = time.servers();
            int actor = clients;
            for (int i = 0; i < serving.size(); i++) {
                SimServer server = serving.get(i);
                if (server != null) {
                    int machine = placement.machineOfServer(i);
                    ClientProgram serves = client -> server.run((SimClient) client);
                    time.addClient(new SimClient(actor++, machine, this, time, cards[machine], arena, 1, null, serves));
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
        if ((options.isShared() || options.doorbells() > 0)
                && !times.card().lockHolds().areKnown()) {
            throw new FabricException(
                    (options.isShared() ? "queue pairs" : "doorbells") + " can't be shared: the NIC profile of "
                            + nic.title() + " has no cost of their lock (card.lock-ns)");
        }
    }

    /**
     * Returns the card state of a queue pair: a new one, or the one that another thread of the machine has created for
     * the same share.
     */
    QueuePairState stateOf(int machine, int there, ConnectionOptions options) throws FabricException {
        if (!options.isShared()) {
            return newState(machine, options);
        }
        QueuePairState state = sharedQueuePairs.computeIfAbsent(
                List.of(machine, there, options.share()), _ -> newState(machine, options));
        if (state.outstandingReads() != options.outstandingReads()) {
            throw new FabricException("a queue pair that is shared with " + state.outstandingReads()
                    + " outstanding READs was requested with " + options.outstandingReads());
        }
        return state;
    }

    private QueuePairState newState(int machine, ConnectionOptions options) {
        int count = options.doorbells();
        PostingLock doorbell = count == 0
                ? null
                : sharedDoorbells
                        .computeIfAbsent(List.of(machine, count), _ -> new Doorbells(new PostingLock[count]))
                        .next(times.card().lockHolds());
        return new QueuePairState(times, options.sendQueue(), options.outstandingReads(), options.isShared(), doorbell);
    }

    /** Doorbells of a machine, to which queue pairs are assigned in turn. */
    private static final class Doorbells {
        private final PostingLock[] locks;
        private int next;

        Doorbells(PostingLock[] locks) {
            this.locks = locks;
        }

        PostingLock next(PostingLock.Holds holds) {
            if (locks[next] == null) {
                locks[next] = new PostingLock(holds);
            }
            PostingLock lock = locks[next];
            lock.addSharer();
            next = (next + 1) % locks.length;
            return lock;
        }
    }

    CardTimes times() {
        return times;
    }

    Placement placement() {
        return placement;
    }

    int machineOf(int server) throws FabricException {
        Servers.check(server, placement.servers());
        return placement.machineOfServer(server);
    }

    ServerCard responderOf(int machine) {
        return responders[machine];
    }

    private ServerCard responder(int server) {
        return responders[placement.machineOfServer(server)];
    }

    /** Returns the extra round-trip time between racks, in ps. */
    long interRackPs(int machine, int other) {
        CardTimes.Cluster cluster = times.cluster();
        return cluster.apart(machine, other) ? cluster.furtherSwitchesPs() : 0;
    }

    long seed() {
        return seed;
    }

    @Override
    public void close() {
        memory.close();
    }
}

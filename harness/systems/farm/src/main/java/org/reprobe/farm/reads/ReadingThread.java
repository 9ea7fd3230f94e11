package org.reprobe.farm.reads;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientConnections;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.reads.RandomReads.Parameters;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/**
 * Thread with a queue pair to each other machine. Each completed READ is replaced at once by one of a random block of a
 * random machine. A machine whose connection was lost gets no READs until a reconnection succeeds. Reconnection
 * attempts block the thread, so they take at most 1/{@value #BACK_OFF_FACTOR} of its time.
 */
final class ReadingThread implements LoadLoop.Operations {
    private static final int BACK_OFF_FACTOR = 16;

    private final Client client;
    private final Parameters plan;
    private final Counts counts;
    private final LoadLoop loop;
    private final Rng random;
    private final long operationPs;
    private final MemorySegment local;
    private final long stride;
    private final Completions completions;

    private final Machine[] machines;
    /** Number of reachable machines, which are first in {@link #machines}. */
    private int reachable;

    /** Machines by connection number. */
    private final List<Machine> machineOf = new ArrayList<>();

    /** Offset of the block that a READ in flight reads, by its slot of local memory. */
    private final long[] offsets;

    /** State of a remote machine. */
    private static final class Machine {
        final int number;
        final RemoteRegion memory;
        int place;

        @Nullable
        QueuePair queuePair;

        int inFlight;
        boolean lost;
        long tryAtNs;

        Machine(int number, RemoteRegion memory) {
            this.number = number;
            this.memory = memory;
        }
    }

    ReadingThread(Client client, Parameters plan, SampledInterval interval, Counts counts) throws FabricException {
        this.client = client;
        this.plan = plan;
        this.counts = counts;
        this.loop = new LoadLoop(client, interval, counts, plan.inFlight(), LoadLoop.Reporting.AFTER_BEGINNING, this);
        this.random = new Rng(plan.seed(), client.index());
        this.operationPs = client.cpuCosts().operationPs();
        this.stride = RandomReads.stride(plan.readBytes());
        this.local = client.allocate(RandomReads.localBytes(plan.inFlight(), plan.readBytes()));
        this.completions = new Completions(plan.inFlight());
        this.offsets = new long[plan.inFlight()];
        List<Machine> others = new ArrayList<>();
        for (int i = 0; i < plan.memories().size(); i++) {
            if (!client.isLocal(i)) {
                others.add(new Machine(i, plan.memories().get(i)));
            }
        }
        this.machines = others.toArray(Machine[]::new);
        this.reachable = machines.length;
        for (int i = 0; i < machines.length; i++) {
            machines[i].place = i;
            connect(machines[i]);
        }
    }

    private void connect(Machine machine) throws FabricException {
        ConnectionOptions options = plan.options().apply(client.index());
        int count = plan.memories().size();
        machine.queuePair = plan.twoWay()
                ? connections().connect(client.index() / count * count + machine.number, local, options)
                : client.connect(machine.number, local, options);
        machineOf.add(machine);
    }

    private ClientConnections connections() throws FabricException {
        return client.toClients().orElseThrow(() -> new FabricException("clients cannot connect to each other"));
    }

    void read() throws FabricException {
        loop.run();
        Arrays.stream(machines).forEach(machine -> queuePair(machine).close());
    }

    @Override
    public boolean mayBegin() {
        return reachable > 0;
    }

    @Override
    public int begin(int slot) throws FabricException {
        Machine machine = machines[(int) random.below(reachable)];
        long offset = random.below(plan.blocks()) * plan.readBytes();
        offsets[slot] = offset;
        client.spendCpu(operationPs);
        QueuePair queuePair = queuePair(machine);
        RemoteRegion memory = machine.memory;
        queuePair.read(slot, slot * stride, memory.address() + offset, memory.key(), plan.readBytes(), true);
        machine.inFlight++;
        queuePair.doorbell();
        return 1;
    }

    @Override
    public void advance(long turnNs) throws FabricException {
        if (reachable < machines.length && loop.keepsLoad()) {
            connectAgain();
        }
        if (loop.underWay() > 0) {
            take();
        }
    }

    private static QueuePair queuePair(Machine machine) {
        QueuePair queuePair = machine.queuePair;
        if (queuePair == null) {
            throw new IllegalStateException("machine " + machine.number + " is not connected");
        }
        return queuePair;
    }

    /** Waits for a completion and takes all available ones. */
    private void take() throws FabricException {
        client.await(completions);
        long nowNs = client.nowNs();
        for (int i = 0; i < completions.count(); i++) {
            Machine machine = machineOf.get(completions.connection(i));
            int slot = (int) completions.id(i);
            machine.inFlight--;
            Status status = completions.status(i);
            if (status == Status.SUCCESS) {
                completed(machine, slot, nowNs);
            } else {
                lost(machine, status);
                loop.failed(slot, nowNs);
            }
        }
    }

    private void completed(Machine machine, int slot, long nowNs) {
        long latencyNs = loop.ended(slot, nowNs, 1);
        if (!plan.truth().isBlock(machine.number, offsets[slot], plan.readBytes(), local, slot * stride)) {
            long offset = offsets[slot];
            counts.wrongAnswer(() -> "client %d read %d bytes at %d of machine %d and got wrong bytes"
                    .formatted(client.index(), plan.readBytes(), offset, machine.number));
        }
        if (latencyNs != LoadLoop.NOT_SAMPLED) {
            OperationCounts.operation(counts, false, latencyNs, 1);
            counts.add(Counter.REQUESTS, 1);
            counts.add(Counter.PAYLOAD_BYTES, plan.readBytes());
        }
    }

    /** Handles a lost connection. Flushed READs report it too, if another thread's READ failed first. */
    private void lost(Machine machine, Status status) throws FabricException {
        FabricException failure = status.exception("a READ");
        boolean explained = plan.conditions().explain(failure, status)
                || (plan.conditions().disturbed() && status == Status.FLUSHED);
        if (!explained) {
            throw failure;
        }
        if (!machine.lost) {
            machine.lost = true;
            machine.tryAtNs = client.nowNs();
            move(machine, --reachable);
        }
    }

    private void move(Machine machine, int to) {
        Machine other = machines[to];
        machines[machine.place] = other;
        other.place = machine.place;
        machines[to] = machine;
        machine.place = to;
    }

    /** Reconnects to lost machines once all READs of the lost connection have completed. */
    private void connectAgain() throws FabricException {
        for (int i = reachable; i < machines.length; i++) {
            Machine machine = machines[i];
            long startNs = client.nowNs();
            if (machine.inFlight > 0 || (startNs < machine.tryAtNs && reachable > 0)) {
                continue;
            }
            queuePair(machine).close();
            if (Reconnection.succeeds(() -> connect(machine))) {
                machine.lost = false;
                move(machine, reachable++);
            } else {
                long endNs = client.nowNs();
                machine.tryAtNs = endNs + BACK_OFF_FACTOR * (endNs - startNs);
            }
        }
    }
}

package org.reprobe.farm.trials;

import static org.reprobe.farm.trials.RecoveryTrial.MAX_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.MAX_WORDS;
import static org.reprobe.farm.trials.RecoveryTrial.OBJECT;
import static org.reprobe.farm.trials.RecoveryTrial.OBJECT_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.VALUE;
import static org.reprobe.farm.trials.RecoveryTrial.WORD;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.recovery.Configuration;
import org.reprobe.farm.recovery.MachineWords;
import org.reprobe.farm.transactions.DistributedTransaction;
import org.reprobe.farm.trials.RecoveryTrial.Setting;
import org.reprobe.remote.RequestLink;

/**
 * Client of a {@link RecoveryTrial} machine. It accepts a reply or a READ only if the {@link MachineWords} of its
 * machine show afterwards that the request's configuration still holds. Recovery by its machine determines the outcome
 * of transactions whose commit was interrupted.
 */
final class RecoveryClient implements DistributedTransaction.Sender {
    /** Number of updates that no former client of the machine reaches. */
    private static final int REJOINED = 10;

    private final Setting setting;
    private final int machine;
    /** Number of the machine's process to which the client belongs. */
    private final long process;

    private final Client client;
    private final MemorySegment memory;
    private final List<RemoteRegion> regions;
    private final HistoryRecorder history;
    private final TransactionRecorder transactions;
    private final DistributedTransaction transaction;
    private final MachineWords words;
    private final MemorySegment local;
    private final @Nullable QueuePair[] readers;
    private final @Nullable RequestLink[] links;
    private final Completions completions = new Completions(1);
    private Configuration configuration;
    private int updates;
    private boolean acknowledged;

    /** Creates the client of a machine's first process. */
    RecoveryClient(
            Setting setting, Client client, MemorySegment memory, List<RemoteRegion> regions, HistoryRecorder history)
            throws FabricException {
        this(setting, client, client.index(), memory, regions, history);
    }

    /** Creates the client of a machine that has rejoined. It has the machine's coordinator, with further numbers. */
    static RecoveryClient rejoined(
            Setting setting,
            Client client,
            int machine,
            MemorySegment memory,
            List<RemoteRegion> regions,
            HistoryRecorder history)
            throws FabricException {
        RecoveryClient rejoined = new RecoveryClient(setting, client, machine, memory, regions, history);
        rejoined.transaction.continueIn(rejoined.words.configuration().number());
        rejoined.updates = REJOINED;
        return rejoined;
    }

    private RecoveryClient(
            Setting setting,
            Client client,
            int machine,
            MemorySegment memory,
            List<RemoteRegion> regions,
            HistoryRecorder history)
            throws FabricException {
        this.machine = machine;
        this.process = memory.get(WORD, setting.restartsAt());
        this.setting = setting;
        this.client = client;
        this.memory = memory;
        this.regions = regions;
        this.history = history;
        this.transactions = new TransactionRecorder(history, client.index());
        this.configuration = Configuration.first(setting.machines());
        this.transaction = new DistributedTransaction(
                machine + 1L, setting.machines(), setting.copies(), setting.rules(), MAX_WORDS);
        this.words = new MachineWords(memory, setting.wordsAt());
        this.local = client.allocate(OBJECT_BYTES);
        this.readers = new QueuePair[setting.machines()];
        this.links = new RequestLink[setting.machines()];
    }

    private QueuePair reader(int machine) throws FabricException {
        QueuePair reader = readers[machine];
        if (reader == null) {
            reader = client.connect(machine, local, ConnectionOptions.oneSided(1, 1));
            readers[machine] = reader;
        }
        return reader;
    }

    private RequestLink link(int machine) throws FabricException {
        RequestLink link = links[machine];
        if (link == null) {
            link = new RequestLink(client, machine, MAX_BYTES, Long.BYTES);
            links[machine] = link;
        }
        return link;
    }

    /** Runs scripts one after the other, until one ends without a result. */
    void run(List<DistributedTrial.Script> scripts) throws FabricException {
        for (DistributedTrial.Script script : scripts) {
            boolean completed = switch (script) {
                case DistributedTrial.Update update -> update(update);
                case DistributedTrial.Shipped _ ->
                    throw new IllegalArgumentException("transactions are not shipped where machines may fail");
                case DistributedTrial.Reads reads -> read(reads);
            };
            if (!completed) {
                return;
            }
        }
    }

    private boolean read(DistributedTrial.Reads reads) throws FabricException {
        for (long object : reads.objects()) {
            if (!read(object)) {
                return false;
            }
        }
        return true;
    }

    private boolean read(long object) throws FabricException {
        int invocation = history.invoked(client.index(), Operation.READ, object, 0);
        MemorySegment payload = OBJECT.newPayload();
        boolean locked = false;
        for (int attempt = 0; attempt < setting.attempts() && awaitActive(locked); attempt++) {
            try {
                locked = true;
                if (OBJECT.read(readFrom(object), 0, setting.offset(object), payload)) {
                    history.returned(invocation, payload.get(VALUE, 0));
                    return true;
                }
            } catch (UnreachableException _) {
                locked = false;
                if (!awaitAnother()) {
                    return false;
                }
            }
        }
        return false;
    }

    private MemorySegment readFrom(long object) throws FabricException {
        int region = setting.region(object);
        int machine = configuration.copies(setting.copies()).primary(region);
        QueuePair reader = reader(machine);
        RemoteRegion there = regions.get(machine);
        long place = there.address() + setting.copyAt(region) + setting.offset(object);
        reader.read(0, 0, place, there.key(), OBJECT_BYTES, true);
        reader.doorbell();
        reader.await(completions);
        if (completions.status(0) != Status.SUCCESS) {
            readers[machine] = null;
            throw new UnreachableException("machine " + machine + " is unreachable");
        }
        requireConfiguration();
        return local;
    }

    /** Throws an exception if the request's configuration or the machine's lease has ended. */
    private void requireConfiguration() throws UnreachableException {
        client.accesses(Long.BYTES);
        if (!words.holds(configuration, client.nowNs())) {
            throw new UnreachableException("the configuration or the lease has ended");
        }
    }

    /**
     * Pauses if {@code afterConflict}, then waits until the machine is active; returns false if it is evicted, has no
     * lease or has restarted.
     */
    private boolean awaitActive(boolean afterConflict) throws FabricException {
        if (afterConflict) {
            client.pause(1);
        }
        Completions none = new Completions(1);
        while (true) {
            client.accesses(Long.BYTES);
            MachineWords.State state = words.state();
            if (state == MachineWords.State.OUT || memory.get(WORD, setting.restartsAt()) != process) {
                return false;
            }
            if (state == MachineWords.State.ACTIVE) {
                begin(words.configuration());
                return true;
            }
            client.watch(0, memory, words.changesAt(), words.changes());
            client.next(none, Long.MAX_VALUE);
        }
    }

    /** Begins a configuration with new connections, since its machines may have restarted. */
    private void begin(Configuration next) {
        if (!configuration.equals(next)) {
            configuration = next;
            Arrays.fill(readers, null);
            Arrays.fill(links, null);
        }
    }

    /** Waits until another configuration is active; returns false if none can follow or {@link #awaitActive} does. */
    private boolean awaitAnother() throws FabricException {
        Configuration before = configuration;
        Completions none = new Completions(1);
        while (awaitActive(false)) {
            if (!configuration.equals(before)) {
                return true;
            }
            if (!configuration.mayLoseOne(setting.copies(), setting.machines())) {
                return false;
            }
            client.watch(0, memory, words.changesAt(), words.changes());
            client.next(none, Long.MAX_VALUE);
        }
        return false;
    }

    /** Runs a transaction; returns false if its outcome stays unknown. */
    private boolean update(DistributedTrial.Update update) throws FabricException {
        boolean aborted = false;
        acknowledged = false;
        for (int attempt = 0; attempt < setting.attempts() && !acknowledged && awaitActive(aborted); attempt++) {
            transactions.begins();
            transaction.begin(configuration.number(), configuration.copies(setting.copies()));
            try {
                if (readAll(update)) {
                    setPending(update.writes().isEmpty() ? 0 : transaction.id());
                    transaction.commit(this);
                    setPending(0);
                    acknowledge();
                }
            } catch (UnreachableException _) {
                if (!resolve()) {
                    return false;
                }
                aborted = false;
                continue;
            }
            if (!acknowledged) {
                aborted = true;
                transactions.ended(false);
            }
        }
        updates++;
        return true;
    }

    /** Determines the outcome of a transaction whose configuration has ended; returns false if it stays unknown. */
    private boolean resolve() throws FabricException {
        boolean committing = transaction.isCommitting();
        transaction.stop();
        if (!committing) {
            transactions.ended(false);
            return awaitAnother();
        }
        if (!awaitAnother()) {
            return false;
        }
        client.accesses(Long.BYTES);
        boolean committed = memory.get(WORD, setting.committedAt()) == transaction.id();
        memory.set(WORD, setting.pendingAt(), 0);
        if (acknowledged && !committed) {
            throw new IllegalStateException("an acknowledged transaction was aborted");
        }
        if (!acknowledged) {
            transactions.ended(committed);
        }
        acknowledged |= committed;
        return true;
    }

    private void setPending(long transaction) {
        client.accesses(Long.BYTES);
        memory.set(WORD, setting.pendingAt(), transaction);
    }

    private boolean readAll(DistributedTrial.Update update) throws FabricException {
        for (long object : update.objects()) {
            DistributedTransaction.Copy copy =
                    transaction.read(OBJECT, setting.region(object), setting.offset(object), readFrom(object), 0);
            if (copy == null) {
                return false;
            }
            update.take(object, copy, transaction, transactions, machine + updates * setting.machines());
        }
        return true;
    }

    @Override
    public void send(int machine, long[] request, int count) throws FabricException {
        acknowledge();
        RequestLink link = link(machine);
        MemorySegment.copy(request, 0, link.request(), WORD, 0, count);
        long reply = 0;
        try {
            reply = link.call(count * Long.BYTES).get(WORD, 0);
        } catch (UnreachableException e) {
            links[machine] = null;
            throw e;
        }
        requireConfiguration();
        if (reply == CommitMessage.REFUSED) {
            throw new UnreachableException("machine " + machine + " is in another configuration");
        }
        transaction.replyReceived(machine, reply, this);
        acknowledge();
    }

    /** Records the commit in the history as soon as it may be acknowledged. */
    private void acknowledge() {
        if (transaction.hasCommitted() && !acknowledged) {
            acknowledged = true;
            transactions.ended(true);
        }
    }
}

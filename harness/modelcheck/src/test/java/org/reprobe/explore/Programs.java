package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.testing.Seeds;

/**
 * Clients and servers on some words of memory that record their observations. An outcome has each one's record, clients
 * first, and the final memory: {@code "a b | c | up : 0 1"}. A dead client's record is only {@code died}, since it no
 * longer distinguishes the explorer's states.
 */
final class Programs implements Trial {
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final long SEED = Seeds.seed();

    private final long[] first;
    private final List<RecordedPart> clients = new ArrayList<>();
    private final List<@Nullable Part<Server>> servers = new ArrayList<>();
    private final List<StringBuilder> said = new ArrayList<>();
    private final BitSet ended = new BitSet();
    private final TreeSet<String> met = new TreeSet<>();
    private boolean oneClock;
    private int atomicReadBytes = Long.BYTES;
    MemorySegment memory = MemorySegment.NULL;
    RemoteRegion region = new RemoteRegion(0, 0, 0);

    Programs(long... first) {
        this.first = first;
    }

    interface Part<R extends Requester> {
        void run(Me<R> me) throws FabricException;
    }

    /** Part of a client with recorded operations. */
    interface RecordedPart {
        void run(Me<Client> me, HistoryRecorder history) throws FabricException;
    }

    Programs client(Part<Client> part) {
        return recorded((me, _) -> part.run(me));
    }

    Programs recorded(RecordedPart part) {
        clients.add(part);
        return this;
    }

    Programs server(Part<Server> part) {
        servers.add(part);
        return this;
    }

    Programs passive() {
        servers.add(null);
        return this;
    }

    Programs withOneClock() {
        oneClock = true;
        return this;
    }

    Programs atomicReads(int bytes) {
        atomicReadBytes = bytes;
        return this;
    }

    /** A program's view: its words, one connection to the first server, and local memory. */
    final class Me<R extends Requester> {
        final R self;
        final MemorySegment local;
        final Completions completions = new Completions(8);
        private final StringBuilder words;
        private @Nullable QueuePair connection;

        private Me(R self, StringBuilder words) throws FabricException {
            this.self = self;
            this.words = words;
            this.local = self.allocate(128);
        }

        void say(Object what) {
            words.append(words.isEmpty() ? "" : " ").append(what);
        }

        QueuePair to(int server) throws FabricException {
            return self.connect(server, local, new ConnectionOptions(8, 8, 4));
        }

        QueuePair server() throws FabricException {
            QueuePair there = connection;
            if (there == null) {
                there = to(0);
                connection = there;
            }
            return there;
        }

        /** Posts a READ of words to the start of local memory. */
        void read(QueuePair by, int word, int words) throws FabricException {
            by.read(word, 0, at(word), region.key(), 8 * words, true);
            by.doorbell();
        }

        /** Posts a WRITE of values from the middle of local memory. */
        void write(QueuePair by, int word, long... values) throws FabricException {
            put(64, values);
            by.write(word, 64, at(word), region.key(), 8 * values.length, true);
            by.doorbell();
        }

        void put(long offset, long... values) {
            MemorySegment.copy(values, 0, local, LONG, offset, values.length);
        }

        long word(int number) {
            return local.getAtIndex(LONG, number);
        }

        /** Waits for a completion of a connection; returns its description. */
        String end(QueuePair of) throws FabricException {
            of.await(completions);
            return ends();
        }

        /** Description of the last completion: {@code ok}, a RECEIVE with its length, or a status. */
        String ends() {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < completions.count(); i++) {
                boolean fine = completions.status(i) == Completions.Status.SUCCESS;
                all.add(
                        !fine
                                ? completions.status(i).name().toLowerCase(Locale.ROOT)
                                : completions.received(i) ? "got" + completions.receivedBytes(i) : "ok");
            }
            return String.join(",", all);
        }

        /** Reads words and records them, or the READ's status. */
        void sayRead(int word, int words) throws FabricException {
            read(server(), word, words);
            String end = end(server());
            say(
                    end.equals("ok")
                            ? Arrays.stream(local.asSlice(0, 8L * words).toArray(LONG))
                                    .mapToObj(String::valueOf)
                                    .collect(Collectors.joining(","))
                            : end);
        }

        /** Writes words and records only a failure. */
        void doWrite(int word, long... values) throws FabricException {
            write(server(), word, values);
            String end = end(server());
            if (!end.equals("ok")) {
                say(end);
            }
        }
    }

    Me<Client> me(Client client) throws FabricException {
        return new Me<>(client, new StringBuilder());
    }

    long at(int word) {
        return region.address() + word * 8L;
    }

    @Override
    public int clients() {
        return clients.size();
    }

    @Override
    public int servers() {
        return Math.max(1, servers.size());
    }

    @Override
    public boolean oneClock() {
        return oneClock;
    }

    @Override
    public int atomicReadBytes() {
        return atomicReadBytes;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.allocate(first.length * 8L);
        MemorySegment.copy(first, 0, memory, LONG, 0, first.length);
        region = fabric.register(memory);
        said.clear();
        for (int i = 0; i < programs(); i++) {
            said.add(new StringBuilder());
        }
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        if (client.index() == 0) {
            // The first program to begin in each schedule.
            said.forEach(words -> words.setLength(0));
            ended.clear();
        }
        clients.get(client.index()).run(new Me<>(client, said.get(client.index())), history);
        ended.set(client.index());
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        List<@Nullable ServerProgram> programs = new ArrayList<>();
        int number = clients.size();
        for (Part<Server> part : servers) {
            int own = number;
            number += part == null ? 0 : 1;
            programs.add(part == null ? null : here -> part.run(new Me<>(here, said.get(own))));
        }
        return programs;
    }

    @Override
    public @Nullable String violation(History history) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < said.size(); i++) {
            parts.add(i < clients.size() && !ended.get(i) ? "died" : said.get(i).toString());
        }
        String end = String.join(" | ", parts) + " : "
                + Arrays.stream(memory.toArray(LONG)).mapToObj(String::valueOf).collect(Collectors.joining(" "));
        met.add(end);
        return null;
    }

    @Override
    public String place(int number, long offset) {
        return (number == 0 ? "" : "region " + number + " ") + "word " + offset / 8;
    }

    /**
     * Returns the outcomes of all schedules. Searches with fewer switches and random schedules must give no other
     * outcome.
     */
    TreeSet<String> explore(ExplorationLimits limits) throws Exception {
        met.clear();
        search(limits, Exploration.ALL);
        TreeSet<String> outcomes = new TreeSet<>(met);
        for (int switches = 0; switches < 3; switches++) {
            search(limits, switches);
        }
        ExplorationOutcome random = new Exploration(this, limits).random(SEED, 100);
        assertThat(random.counterexample()).as("seed %d", SEED).isNull();
        assertThat(outcomes).as("seed %d", SEED).containsAll(met);
        return outcomes;
    }

    private void search(ExplorationLimits limits, int switches) throws Exception {
        ExplorationOutcome outcome = new Exploration(this, limits).exhaustive(switches, 100_000);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.complete()).isTrue();
    }

    TreeSet<String> takeMet() {
        TreeSet<String> outcomes = new TreeSet<>(met);
        met.clear();
        return outcomes;
    }

    TreeSet<String> random(ExplorationLimits limits, int schedules) throws Exception {
        met.clear();
        assertThat(new Exploration(this, limits).random(SEED, schedules).counterexample())
                .as("seed %d", SEED)
                .isNull();
        return takeMet();
    }

    String violation(ExplorationLimits limits) throws Exception {
        Counterexample found = new Exploration(this, limits)
                .exhaustive(Exploration.ALL, 100_000)
                .counterexample();
        assertThat(found).isNotNull();
        return found.violation();
    }

    /** Checks that the schedules within limits have exactly these outcomes. */
    void comesTo(ExplorationLimits limits, String... outcomes) throws Exception {
        assertThat(explore(limits)).containsExactlyInAnyOrder(outcomes);
    }
}

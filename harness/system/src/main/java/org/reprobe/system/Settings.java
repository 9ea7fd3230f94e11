package org.reprobe.system;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.fabric.Sampling;
import org.reprobe.table.Storage;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.NamedWorkload;
import org.reprobe.workload.ScrambledZipf;

/**
 * Every setting of one cell, defaults filled in: what a run needs to know.
 *
 * @param sections of the scenario file, the systems' own included, by record
 */
public record Settings(Map<Class<? extends Record>, Record> sections) {

    /** The nodes of the Slurm job that the run is in, among {@link Hosts}. */
    public static final String SLURM = "slurm";

    /** This host, among {@link Hosts}. */
    public static final String HERE = "here";

    private static final int USUAL_SLICES = 100;

    public Settings {
        sections = Map.copyOf(sections);
    }

    /** All records that every scenario has, in the order of the reference. */
    public static final List<Class<? extends Record>> COMMON = List.of(
            General.class,
            Clients.class,
            Connection.class,
            Load.class,
            Hosts.class,
            Table.class,
            Workload.class,
            Measure.class,
            Series.class);

    @Section(name = "", meaning = "What is run.")
    public record General(
            @Key(
                    byDefault = "sim",
                    words = {"sim", "shm", "tcp", "verbs"},
                    meaning = """
                    How operations travel: sim, a simulated network card in virtual time; shm, shared memory; tcp, sockets; \
                    verbs, RDMA hardware. The last three run in real time.""")
            String fabric,

            @Key(byDefault = "connectx5-edr", allowed = "the name of a profile in scenarios/nics", meaning = """
                    The NIC profile: sim builds its card from it, the read-size model takes its parameters from it.""")
            String nic,

            @Key(byDefault = "1", min = 0, max = 1L << 53, identifies = false, meaning = """
                    Fixes keys, tables and every random choice; repeats derive their own from it.""")
            long seed,

            @Key(byDefault = "linear-variable", meaning = "How keys are found, read and written.")
            String scheme,

            @Key(byDefault = "0.5", above = 0, below = 1, meaning = """
                    Occupied share of the table's slots. Cuckoo tables have a threshold above which none exists.""")
            double loadFactor) {}

    @Section(name = "clients", meaning = "Who asks.")
    public record Clients(
            @Key(byDefault = "1", min = 1, max = 1024, meaning = "Client machines.")
            int machines,

            @Key(
                    byDefault = "28",
                    min = 1,
                    max = 65536,
                    meaning = "Client threads a machine, each with a queue pair of its own.")
            int threads) {

        /** Clients of all machines. */
        public int total() {
            return machines * threads;
        }
    }

    /**
     * How queue pairs are set up.
     *
     * @param sendQueue 0 asks for latency mode: as many requests as one lookup needs
     * @param representsSendQueue 0 for their own
     */
    @Section(name = "connection", meaning = "How queue pairs are set up.")
    public record Connection(
            @Key(byDefault = "8192", min = 1, max = 1 << 20, or = "latency", meaning = """
                    The most requests a client posts at once; latency for one lookup at a time: as many requests as it posts \
                    together. At most what the card allows.""")
            int sendQueue,

            @Key(byDefault = "16", min = 1, max = 65536, meaning = """
                    The most READs in flight on a queue pair. At most what the card allows.""")
            int outstandingReads,

            @Key(
                    byDefault = "own",
                    min = 1,
                    max = 1 << 20,
                    or = "own",
                    fabrics = "sim",
                    identifies = false,
                    meaning = """
                    sim: work requests of the send queues that these stand for. A lookup's next READ comes a round of all send \
                    queues after its last, in which the card may have replaced the translation that it needs: as often as in a \
                    round of send queues of this size. own: those that there are.""")
            int representsSendQueue,

            @Key(byDefault = "1", above = 0, max = 60_000, fabrics = "sim", identifies = false, meaning = """
                    sim: milliseconds for which a card tries again, and a connection is tried to be made, before the other \
                    machine counts as unreachable. With faults, lookups that write give up on a lock that is taken for as long.""")
            double retryMs) {

        /** The same in nanoseconds. */
        public long retryNs() {
            return (long) (retryMs * Measure.NS_PER_MS);
        }

        /** Work requests of a send queue that this one stands for, for each of its own. */
        public double scale() {
            return representsSendQueue == 0 || sendQueue == 0 ? 1 : (double) representsSendQueue / sendQueue;
        }
    }

    /**
     * How much is asked.
     *
     * @param ratePerS 0 for full send queues
     */
    @Section(name = "load", meaning = "How much is asked.")
    public record Load(
            @Key(byDefault = "full", above = 0, or = "full", meaning = """
                    Lookups a second of all clients together, at random (Poisson) times; latency counts from when a lookup was \
                    to begin. full: each client keeps its send queue full.""")
            double ratePerS) {}

    /** Where the processes of a real fabric run. */
    @Section(name = "hosts", meaning = """
                    Where the processes of shm, tcp and verbs run: on other hosts over ssh, which must need no password, or on the \
                    nodes of the Slurm job that the run is in.""")
    public record Hosts(
            @Key(
                    byDefault = HERE,
                    allowed = Hosts.A_HOST,
                    pattern = Hosts.NAME,
                    fabrics = {"shm", "tcp", "verbs"},
                    identifies = false,
                    meaning = """
                    The server's host; here for this one, slurm for the job's first node. Systems whose clients' machines are the servers have none.""")
            String server,

            @Key(
                    byDefault = HERE,
                    allowed = Hosts.A_HOST,
                    pattern = Hosts.NAME,
                    fabrics = {"shm", "tcp", "verbs"},
                    identifies = false,
                    orOne = true,
                    meaning = """
                    The clients' hosts: client machines are dealt out to them in turn. slurm: to all nodes of the job, but the \
                    server's where that is slurm, too.""")
            List<String> clients) {
        /** Never an option of ssh: those begin with a hyphen. */
        static final String NAME = "^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_:\\[][A-Za-z0-9_.:%\\]-]*$";

        static final String A_HOST = "a host name, here, or slurm";

        public Hosts {
            clients = List.copyOf(clients);
        }

        /** Whether some are the nodes of a Slurm job. */
        public boolean areSlurms() {
            return server.equals(SLURM) || clients.contains(SLURM);
        }

        /** Whether all are this host. */
        public boolean areHere() {
            return server.equals(HERE) && clients.stream().allMatch(HERE::equals);
        }
    }

    /**
     * The table.
     *
     * @param representsRecords 0 for its own
     * @param keysPerRecord 0 for all keys that there are
     */
    @Section(name = "table", meaning = "The hash table and its records.")
    public record Table(
            @Key(byDefault = "1048576", min = 1, max = 1L << 53, meaning = "Records in the table.")
            long records,

            @Key(
                    byDefault = "own",
                    min = 1,
                    max = 1L << 53,
                    or = "own",
                    fabrics = "sim",
                    identifies = false,
                    meaning = """
                    sim: records of the table that this one stands for. The card's cache of address translations is as many times \
                    smaller as the table is, so that a small table costs the card what the large one would. own: those that \
                    it has.""")
            long representsRecords,

            @Key(byDefault = "8", min = 8, max = 1 << 20, meaning = "Bytes of a record, its key included.")
            int recordBytes,

            @Key(byDefault = "inline", meaning = """
                    inline: records stand in the slots. heap: slots hold a 1-byte signature a record and a 4-byte offset.""") Storage storage,

            @Key(byDefault = "all", above = 0, or = "all", meaning = """
                    How many distinct keys there may be for each record, which fixes how often a key comes twice at any scale;
                    capped at all 2^32 - 1 keys of 4 bytes, for zipf at 2^31 - 1. 34.14 gives the paper's share: 120 x 2^20
                    records use them all.""")
            double keysPerRecord) {

        /** Records of the table that this one stands for, for each of its own. */
        public double scale() {
            return representsRecords == 0 ? 1 : (double) representsRecords / records;
        }
    }

    public enum Operation {
        /** Look keys up, or read and write them. */
        LOOKUP,
        /** Run nothing: ask the model for its read size. */
        PREDICT
    }

    /** What is asked. */
    @Section(name = "workload", meaning = "What is asked.")
    public record Workload(
            @Key(byDefault = "lookup", meaning = """
                    lookup: look existing keys up. predict: run nothing, ask the model for its read size.""") Operation operation,
            @Key(byDefault = "uniform", meaning = """
                    uniform: each record's key is drawn anew, so keys may come twice. distinct: none does. zipf: skewed.""") Distribution keys,

            @Key(byDefault = "0.99", min = 0, max = KeySets.MAX_THETA, meaning = """
                    Skew of zipf: rank r has frequency r^-theta; 0 is uniform.""")
            double theta,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    Share of the operations that write or insert; the others read or find. Clients that look keys up write the \
                    record that they found, as it is, under a lock.""")
            double writes,

            @Key(byDefault = "own", meaning = """
                    ycsb-a to ycsb-f: the mix of operations and the skew of that workload of YCSB, in place of workload.keys, theta and writes. \
                    a: half of the operations update; b: 5 % do; c: all read; d: 5 % insert, and the latest records are read most; \
                    f: half read and then update. e is refused: it scans, and hash tables have no order. Requests are YCSB's scrambled Zipf, \
                    theta 0.99 over 10^10 ranks, whose hashes name records: the hottest record has 3.78 % of them. own: what those keys say.""") NamedWorkload name) {

        /** Whether the mix and the skew are a named workload's. */
        public boolean isNamed() {
            return name != NamedWorkload.OWN;
        }

        /** What writes do. */
        public NamedWorkload.Writes kind() {
            return name.kind();
        }

        /** Whether writes add records while it runs. */
        public boolean inserts() {
            return writes > 0 && kind() == NamedWorkload.Writes.INSERT;
        }

        /** The same with the values that its name sets. */
        Workload asNamed() {
            return isNamed()
                    ? new Workload(operation, Distribution.ZIPF, ScrambledZipf.THETA, name.writes(), name)
                    : this;
        }
    }

    /** How long and how often. */
    @Section(name = "measure", meaning = "How long and how often. Times are virtual on sim.")
    public record Measure(
            @Key(
                    byDefault = "5",
                    min = 1,
                    max = 100_000,
                    identifies = false,
                    meaning = "Runs of each cell, each with a table of its own.")
            int repeats,

            @Key(
                    byDefault = "1",
                    min = 0,
                    max = 86_400_000,
                    identifies = false,
                    meaning = "Milliseconds before counting starts.")
            double warmUpMs,

            @Key(byDefault = "10", min = 0.001, max = 86_400_000, identifies = false, meaning = "Milliseconds counted.")
            double durationMs,

            @Key(
                    byDefault = "1000",
                    min = 0,
                    max = 86_400_000,
                    identifies = false,
                    fabrics = {"shm", "tcp", "verbs"},
                    meaning = """
                    Least milliseconds counted where time is real; a fifth of it before counting starts. Threads that
                    share cores take turns that are longer than most virtual durations.""")
            double realTimeMs) {
        private static final double NS_PER_MS = 1e6;

        public long warmUpNs() {
            return (long) (warmUpMs * NS_PER_MS);
        }

        public long durationNs() {
            return (long) (durationMs * NS_PER_MS);
        }

        /** The same with at least so long a warm-up. */
        public Measure warmedUp(double minMs) {
            return new Measure(repeats, Math.max(warmUpMs, minMs), durationMs, realTimeMs);
        }

        /** The times of a rehearsal. */
        public static Measure rehearsal(double durationMs) {
            return new Measure(1, 0, durationMs, 0);
        }
    }

    /** The course of a run in time. */
    @Section(name = "series", meaning = "The course of a run in time: series.jsonl, and figures with x: time-ms.")
    public record Series(
            @Key(
                    byDefault = "automatic",
                    min = 0.001,
                    max = 86_400_000,
                    or = "automatic",
                    identifies = false,
                    meaning = """
                    Milliseconds of a slice, for each of which throughput, latencies and what failed are kept. automatic: with \
                    faults a hundredth of the interval, without none.""")
            double sliceMs) {}

    public General general() {
        return section(General.class);
    }

    public Clients clients() {
        return section(Clients.class);
    }

    public Connection connection() {
        return section(Connection.class);
    }

    public Load load() {
        return section(Load.class);
    }

    public Hosts hosts() {
        return section(Hosts.class);
    }

    public Table table() {
        return section(Table.class);
    }

    /** What is asked; a named workload's values where one is named. */
    public Workload workload() {
        return section(Workload.class).asNamed();
    }

    /** What goes wrong in each run of the cell. */
    public List<FaultSpec> faults() {
        return sections.get(Faults.class) instanceof Faults faults ? faults.list() : List.of();
    }

    /** The same, with what goes wrong. */
    public Settings with(List<FaultSpec> faults) {
        Map<Class<? extends Record>, Record> changed = new HashMap<>(sections);
        changed.put(Faults.class, new Faults(faults));
        return new Settings(changed);
    }

    private record Faults(List<FaultSpec> list) {}

    /** What goes wrong in a run, and what is kept of its course. */
    public Sampling.Conditions conditions() {
        Measure measure = measure();
        double sliceMs = section(Series.class).sliceMs;
        boolean disturbed = !faults().isEmpty();
        if (sliceMs == 0 && disturbed) {
            sliceMs = measure.durationMs / USUAL_SLICES;
        }
        return new Sampling.Conditions((long) Math.ceil(sliceMs * Measure.NS_PER_MS), disturbed);
    }

    public String fabric() {
        return general().fabric;
    }

    public String nic() {
        return general().nic;
    }

    public long seed() {
        return general().seed;
    }

    public String scheme() {
        return general().scheme;
    }

    public double loadFactor() {
        return general().loadFactor;
    }

    /** Whether server and clients are processes and run in real time. */
    public boolean isReal() {
        return !fabric().equals("sim");
    }

    /** Whether the fabric's atomics need not be atomic against those of the server's CPU. */
    public boolean hasAtomicsOfItsOwn() {
        return fabric().equals("verbs");
    }

    /** How long the run takes, at least as long as real time asks for. */
    public Measure measure() {
        Measure measure = section(Measure.class);
        if (!isReal()) {
            return measure;
        }
        return new Measure(
                measure.repeats,
                Math.max(measure.warmUpMs, measure.realTimeMs / 5),
                Math.max(measure.durationMs, measure.realTimeMs),
                measure.realTimeMs);
    }

    /** The same for other times. */
    public Settings with(Measure other) {
        Map<Class<? extends Record>, Record> changed = new HashMap<>(sections);
        changed.put(Measure.class, other);
        return new Settings(changed);
    }

    /**
     * One section.
     *
     * @throws IllegalArgumentException for a record that is no section
     */
    public <S extends Record> S section(Class<S> section) {
        Record values = sections.get(section);
        if (values == null) {
            throw new IllegalArgumentException("no section " + section.getName());
        }
        return section.cast(values);
    }

    /** What a repeat's keys and table are drawn from: the same for all cells, so that those of one load can share them. */
    public long tableSeed(int repeat) {
        return seed() * 1_000_003L + repeat;
    }

    /** Which keys there may be. */
    public KeySpec keySpec() {
        return new KeySpec(recordKeys(), workload().theta, keySpace());
    }

    /** How keys are distributed over records: a named workload skews requests, and each of its records has a key of its own. */
    private Distribution recordKeys() {
        return workload().isNamed() ? Distribution.DISTINCT : workload().keys;
    }

    /** How many distinct keys there may be. */
    public long keySpace() {
        long maxKeys = KeySets.maxKeySpace(recordKeys());
        if (table().keysPerRecord == 0) {
            return maxKeys;
        }
        return Math.clamp((long) Math.ceil(table().keysPerRecord * table().records), 1, maxKeys);
    }
}

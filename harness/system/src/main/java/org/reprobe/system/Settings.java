package org.reprobe.system;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.sample.Sampling;
import org.reprobe.table.RecordSizes;
import org.reprobe.table.Storage;
import org.reprobe.workload.ArrivalRate;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.NamedWorkload;
import org.reprobe.workload.ScrambledZipf;

/** All settings of one cell, including defaults, by section: common ones and the systems' own. */
public record Settings(Map<Class<? extends Record>, Record> sections) {

    /** Value of {@link Hosts} for the nodes of the current Slurm job. */
    public static final String SLURM = "slurm";

    /** Value of {@link Hosts} for this host. */
    public static final String HERE = "here";

    private static final int USUAL_SLICES = 100;
    private static final int SLICES_PER_WINDOW = 10;

    public Settings {
        sections = Map.copyOf(sections);
    }

    /** Records of every scenario, in the order of the reference. */
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
                    Transport of the operations: sim, a simulated network card in virtual time; shm, shared memory; \
                    tcp, sockets; verbs, RDMA hardware. The last three run in real time.""")
            String fabric,

            @Key(byDefault = "connectx5-edr", allowed = "the name of a profile in scenarios/nics", meaning = """
                    The NIC profile: sim builds its card from it, the read-size model takes its parameters from it. \
                    CARD+host-NAME+link-NAME+slot-NAME replaces its host, its link, its slot or some of them.""")
            String nic,

            @Key(byDefault = "1", min = 0, max = 1L << 53, identifies = false, meaning = """
                    Determines keys, tables and every random choice; repeats derive their own seeds.""")
            long seed,

            @Key(byDefault = "linear-variable", meaning = "System, or variant of a system, to run.")
            String scheme,

            @Key(byDefault = "0.5", above = 0, below = 1, meaning = """
                    Occupied fraction of the table's slots. Cuckoo tables can't exceed a threshold.""")
            double loadFactor) {}

    @Section(name = "clients", meaning = "Clients.")
    public record Clients(
            @Key(byDefault = "1", min = 1, max = 1024, meaning = "Client machines.")
            int machines,

            @Key(
                    byDefault = "28",
                    min = 1,
                    max = 65536,
                    meaning = "Client threads per machine, each with its own queue pair.")
            int threads) {

        public int total() {
            return machines * threads;
        }
    }

    /** Queue pairs. {@code sendQueue} 0 is latency mode; {@code representsSendQueue} 0 is the send queue's length. */
    @Section(name = "connection", meaning = "Queue pairs.")
    public record Connection(
            @Key(byDefault = "16", min = 1, max = 1 << 20, or = "latency", meaning = """
                    Maximum number of requests that a client posts at once, up to the card's limit; latency: one lookup at a \
                    time, with as many requests as it posts together.""")
            int sendQueue,

            @Key(byDefault = "16", min = 1, max = 65536, meaning = """
                    Maximum number of READs in flight on a queue pair, up to the card's limit.""")
            int outstandingReads,

            @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                    sim: remote ranges that a READ gathers, of one or more lookups. No card has such READs. Further ranges cost
                    no time per request, which is the maximum of what gathering can save.""")
            int gather,

            @Key(
                    byDefault = "own",
                    min = 1,
                    max = 1 << 20,
                    or = "own",
                    fabrics = "sim",
                    identifies = false,
                    meaning = """
                    sim: size of the send queues that these represent, in work requests. Between two READs of a \
                    lookup the card replaces translations as often as with send queues of this size. own: the actual \
                    size.""")
            int representsSendQueue,

            @Key(
                    byDefault = "14",
                    min = 1,
                    max = 31,
                    fabrics = {"sim", "verbs"},
                    identifies = false,
                    meaning = """
                    Timeout T of a queue pair: 4.096 us x 2^T without an acknowledgement, as timeout of ibv_modify_qp. Cards
                    take longer: the NIC profile's section retransmission. With faults on sim, a lookup that writes gives up
                    on a lock held for as long as the card takes to report an error, and an attempt to connect ends
                    then.""")
            int timeout,

            @Key(
                    byDefault = "7",
                    min = 0,
                    max = 7,
                    fabrics = {"sim", "verbs"},
                    identifies = false,
                    meaning = """
                    Retries before a card reports an error, as retry_cnt of ibv_modify_qp. With both defaults and a
                    ConnectX-6, a dead peer is detected after 3.66 s.""")
            int retryCount,

            @Key(byDefault = "card", fabrics = "sim", identifies = false, meaning = """
                    card: the card's smallest timeout and its adaptive retransmissions, as delivered. none: timeouts of the
                    set length, as with min_ack_timeout_limit_disabled in a ConnectX card's register ROCE_ACCL.""")
            TimeoutFloor timeoutFloor) {

        /** Returns the times at which a card sends a lost request again. */
        public RetransmissionTimes retransmission(NicProfile nic) {
            return RetransmissionTimes.of(nic.retransmission(), timeout, retryCount, timeoutFloor == TimeoutFloor.CARD);
        }

        /** Returns the number of work requests that each work request of the send queue represents. */
        public double scale() {
            return representsSendQueue == 0 || sendQueue == 0 ? 1 : (double) representsSendQueue / sendQueue;
        }
    }

    public enum TimeoutFloor {
        CARD,
        NONE
    }

    /** Offered load. A {@code ratePerS} of 0 means that send queues are kept full. */
    @Section(name = "load", meaning = "Offered load.")
    public record Load(
            @Key(byDefault = "full", above = 0, or = "full", meaning = """
                    Total lookups per second of all clients, at random (Poisson) times; latency counts from the intended start. \
                    full: each client keeps its send queue full.""")
            double ratePerS,

            @Key(byDefault = "[]", example = """
                    phases:
                      - {for-ms: 2, rate-per-s: 1e6}
                      - {for-ms: 1, rate-per-s: 1e6, to-per-s: 4e6}""", meaning = """
                    Offered load that changes with time, instead of rate-per-s: phases from the beginning of the \
                    interval, which repeat until its end. Each has for-ms, rate-per-s of all clients and, if the rate \
                    changes linearly to another, to-per-s. The warm-up has exactly measure.warm-up-ms and the rate at the \
                    beginning.""")
            List<LoadPhase> phases,

            @Key(byDefault = NO_TRACE, allowed = "a file or none", meaning = """
                    Phases from a CSV file, relative to this one, with the columns time-ms (or time-s) and rate-per-s: \
                    each rate is that from the row's time, counted from the first row, until the next row's; the last one \
                    lasts until the end. Written as phases.""")
            String trace,

            @Key(byDefault = "1", above = 0, max = 1e6, meaning = "Factor for the rates of phases and trace.")
            double scale) {
        /** Value of {@link #trace} for none. */
        public static final String NO_TRACE = "none";

        public Load {
            phases = List.copyOf(phases);
        }

        /** Returns true if lookups begin at random times, not whenever another has ended. */
        public boolean isPaced() {
            return ratePerS > 0 || !phases.isEmpty();
        }

        /** Returns the rate in lookups per ns since the end of the warm-up; null if it does not change. */
        public @Nullable ArrivalRate changing() {
            if (phases.stream()
                    .allMatch(phase -> phase.ratePerS() == 0 && phase.toPerS().orElse(0) == 0)) {
                return null;
            }
            double perNs = scale / 1e9;
            return new ArrivalRate(
                    phases.stream().mapToDouble(phase -> phase.forMs() * 1e6).toArray(),
                    phases.stream()
                            .mapToDouble(phase -> phase.ratePerS() * perNs)
                            .toArray(),
                    phases.stream()
                            .mapToDouble(phase -> phase.toPerS().orElse(phase.ratePerS()) * perNs)
                            .toArray());
        }

        /** Returns the mean offered lookups per second of an interval; 0 if send queues are kept full. */
        public double meanPerS(double intervalS) {
            ArrivalRate changing = changing();
            return changing == null ? ratePerS : changing.arrivals(intervalS * 1e9) / intervalS;
        }
    }

    @Section(name = "hosts", meaning = """
                    Hosts of the processes of shm, tcp and verbs: over ssh without a password, or the nodes of the current Slurm job.""")
    public record Hosts(
            @Key(
                    byDefault = HERE,
                    allowed = Hosts.A_HOST,
                    pattern = Hosts.NAME,
                    fabrics = {"shm", "tcp", "verbs"},
                    identifies = false,
                    meaning = """
                    The server's host; here for this one, slurm for the job's first node. Systems whose clients run on the servers do not use it.""")
            String server,

            @Key(
                    byDefault = HERE,
                    allowed = Hosts.A_HOST,
                    pattern = Hosts.NAME,
                    fabrics = {"shm", "tcp", "verbs"},
                    identifies = false,
                    orOne = true,
                    meaning = """
                    The clients' hosts, to which client machines are assigned round-robin. slurm: all nodes of the job, except the \
                    server's if that is slurm, too.""")
            List<String> clients,

            @Key(
                    byDefault = ALL_CORES,
                    allowed = Hosts.SOME_CORES,
                    pattern = Hosts.CORES,
                    fabrics = {"shm", "tcp", "verbs"},
                    identifies = false,
                    meaning = """
                    Cores to which the server's process and all of its threads are pinned; its memory is then on their NUMA node.""")
            String serverCores,

            @Key(
                    byDefault = ALL_CORES,
                    allowed = Hosts.SOME_CORES,
                    pattern = Hosts.CORES,
                    fabrics = {"shm", "tcp", "verbs"},
                    identifies = false,
                    orOne = true,
                    meaning = """
                    The same for the processes of the client machines, to which the values are assigned round-robin.""")
            List<String> clientCores) {
        /** Cores of a process that is not pinned. */
        public static final String ALL_CORES = "all";

        static final String CORES = "^(all|node-[0-9]{1,4}|[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*)$";

        static final String SOME_CORES = "all, cores such as 0-13, \"3\" or \"0,2-4\", or a NUMA node such as node-1";

        /** Pattern of a host's name. It excludes options of ssh, which begin with a hyphen. */
        static final String NAME = "^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_:\\[][A-Za-z0-9_.:%\\]-]*$";

        static final String A_HOST = "a host name, here, or slurm";

        public Hosts {
            clients = List.copyOf(clients);
            clientCores = List.copyOf(clientCores);
        }

        /** Returns true if a process is pinned. */
        public boolean arePinned() {
            return !serverCores.equals(ALL_CORES) || !clientCores.stream().allMatch(ALL_CORES::equals);
        }

        public boolean areSlurms() {
            return server.equals(SLURM) || clients.contains(SLURM);
        }

        public boolean areLocal() {
            return server.equals(HERE) && clients.stream().allMatch(HERE::equals);
        }
    }

    /**
     * Hash table. A {@code representsRecords} of 0 is the number of records; a {@code keysPerRecord} of 0 means all
     * possible keys.
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
                    sim: records of the represented table. The card's cache of address translations is scaled down like the table, \
                    so that a small table has the cache misses of the large one. own: no scaling.""")
            long representsRecords,

            @Key(byDefault = "8", min = 8, max = 1 << 20, meaning = "Bytes of a record, including its key.")
            int recordBytes,

            @Key(byDefault = "none", min = 8, max = 1 << 20, or = "none", meaning = """
                    linear-*: bytes of the small records, if records have two sizes; the others have record-bytes.""")
            int smallRecordBytes,

            @Key(
                    byDefault = "0.5",
                    above = 0,
                    below = 1,
                    meaning = "linear-*: share of the small records, if there are some.")
            double smallShare,

            @Key(byDefault = "inline", meaning = """
                    inline: records in the slots. heap: slots contain a 1-byte signature per record and a 4-byte offset.""") Storage storage,

            @Key(byDefault = "none", min = 8, max = 1 << 20, or = "none", meaning = """
                    linear-*, storage heap with records of two sizes: records of at most this size are in the slots, which get
                    as much room (hybrid layout); none: all records are in the heap.""")
            int inlineBytes,

            @Key(byDefault = "all", above = 0, or = "all", meaning = """
                    Possible distinct keys per record, which determines how often keys repeat, at any scale;
                    capped at all 2^32 - 1 keys of 4 bytes, for zipf at 2^31 - 1. 34.14 is the paper's ratio: 120 x 2^20
                    records use all keys.""")
            double keysPerRecord) {

        /** Returns the number of records that each record of the table represents. */
        public double scale() {
            return representsRecords == 0 ? 1 : (double) representsRecords / records;
        }

        /** Returns the sizes of records. */
        public RecordSizes sizes() {
            return smallRecordBytes == 0
                    ? RecordSizes.ONE
                    : new RecordSizes(smallRecordBytes, smallShare, storage == Storage.HEAP ? inlineBytes : 0);
        }

        /** Returns the mean size of a record in bytes. */
        public double meanRecordBytes() {
            return smallRecordBytes == 0 ? recordBytes : smallShare * smallRecordBytes + (1 - smallShare) * recordBytes;
        }
    }

    public enum Operation {
        LOOKUP,
        /** Run nothing; the model gives the read size. */
        PREDICT
    }

    @Section(name = "workload", meaning = "Workload.")
    public record Workload(
            @Key(byDefault = "lookup", meaning = """
                    lookup: look up existing keys. predict: run nothing; the model gives the read size.""") Operation operation,
            @Key(byDefault = "uniform", meaning = """
                    uniform: each record's key is drawn independently, so keys may repeat. distinct: no repeats. zipf: skewed.""") Distribution keys,

            @Key(byDefault = "0.99", min = 0, max = KeySets.MAX_THETA, meaning = """
                    Skew of zipf: rank r has frequency r^-theta; 0 is uniform.""")
            double theta,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    Fraction of operations that write or insert; the others read or find. Clients with lookups write the record \
                    that they found, unchanged, under a lock.""")
            double writes,

            @Key(byDefault = "own", meaning = """
                    ycsb-a to ycsb-f: the mix of operations and the skew of that workload of YCSB, in place of workload.keys, theta and writes. \
                    a: half of the operations update; b: 5 % do; c: all read; d: 5 % insert, and the latest records are read most; \
                    f: half read and then update. e is refused: it scans, and hash tables have no order. Requests are YCSB's scrambled Zipf, \
                    theta 0.99 over 10^10 ranks, whose hashes select records: the hottest record has 3.78 % of them. own: as those keys specify.""") NamedWorkload name) {

        /** Returns true if a named workload determines mix and skew. */
        public boolean isNamed() {
            return name != NamedWorkload.OWN;
        }

        public NamedWorkload.Writes kind() {
            return name.kind();
        }

        /** Returns true if writes add records. */
        public boolean inserts() {
            return writes > 0 && kind() == NamedWorkload.Writes.INSERT;
        }

        Workload asNamed() {
            return isNamed()
                    ? new Workload(operation, Distribution.ZIPF, ScrambledZipf.THETA, name.writes(), name)
                    : this;
        }
    }

    @Section(name = "measure", meaning = "Durations and repeats. Times are virtual on sim.")
    public record Measure(
            @Key(
                    byDefault = "5",
                    min = 1,
                    max = 100_000,
                    identifies = false,
                    meaning = "Runs of each cell, each with its own table.")
            int repeats,

            @Key(byDefault = "1", min = 0, max = 86_400_000, identifies = false, meaning = "Warm-up in milliseconds.")
            double warmUpMs,

            @Key(
                    byDefault = "10",
                    min = 0.001,
                    max = 86_400_000,
                    identifies = false,
                    meaning = "Measured interval in milliseconds.")
            double durationMs,

            @Key(
                    byDefault = "1000",
                    min = 0,
                    max = 86_400_000,
                    identifies = false,
                    fabrics = {"shm", "tcp", "verbs"},
                    meaning = """
                    Minimum measured interval in milliseconds in real time, with a fifth of it as minimum warm-up. Threads that
                    share cores have time slices longer than most virtual durations.""")
            double realTimeMs,

            @Key(
                    byDefault = "none",
                    min = 10,
                    max = 1000,
                    or = "none",
                    identifies = false,
                    fabrics = "sim",
                    meaning = """
                    Number of NIC profiles drawn from the ranges of the card's constants, each of which simulates every cell once
                    more: for the median and the 90 % interval of each metric.""")
            int drawnProfiles) {
        private static final double NS_PER_MS = 1e6;

        public long warmUpNs() {
            return (long) (warmUpMs * NS_PER_MS);
        }

        public long durationNs() {
            return (long) (durationMs * NS_PER_MS);
        }

        public Measure warmedUp(double minMs) {
            return new Measure(repeats, Math.max(warmUpMs, minMs), durationMs, realTimeMs, drawnProfiles);
        }

        public static Measure rehearsal(double durationMs) {
            return new Measure(1, 0, durationMs, 0, 0);
        }
    }

    @Section(name = "series", meaning = "Time series of a run: series.jsonl, and figures with x: time-ms.")
    public record Series(
            @Key(
                    byDefault = "automatic",
                    min = 0.001,
                    max = 86_400_000,
                    or = "automatic",
                    identifies = false,
                    meaning = """
                    Slice length in milliseconds; throughput, latencies and failures are recorded per slice. automatic: with \
                    faults a hundredth of the interval, with worst-window-ms a tenth of the window, else no series.""")
            double sliceMs,

            @Key(byDefault = "none", min = 0.001, max = 86_400_000, or = "none", identifies = false, meaning = """
                    Length in milliseconds of the windows for worst_window_ops_per_s, the lowest throughput of any window \
                    within the interval, and latency_worst_window_ns.p99, the highest p99. A window begins at each \
                    slice; its operations are those that end in it. none: without these metrics.""")
            double worstWindowMs) {}

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

    public Workload workload() {
        return section(Workload.class).asNamed();
    }

    public List<FaultSpec> faults() {
        return sections.get(Faults.class) instanceof Faults faults ? faults.list() : List.of();
    }

    public Settings with(List<FaultSpec> faults) {
        Map<Class<? extends Record>, Record> changed = new HashMap<>(sections);
        changed.put(Faults.class, new Faults(faults));
        return new Settings(changed);
    }

    private record Faults(List<FaultSpec> list) {}

    /** Returns the conditions of sampling: faults and series. */
    public Sampling.Conditions conditions() {
        Measure measure = measure();
        double sliceMs = section(Series.class).sliceMs;
        double windowMs = section(Series.class).worstWindowMs;
        boolean disturbed = !faults().isEmpty();
        if (sliceMs == 0 && windowMs > 0) {
            sliceMs = windowMs / SLICES_PER_WINDOW;
        } else if (sliceMs == 0 && disturbed) {
            sliceMs = measure.durationMs / USUAL_SLICES;
        }
        return new Sampling.Conditions(ns(sliceMs), ns(windowMs), disturbed, load().changing() != null);
    }

    private static long ns(double ms) {
        return (long) Math.ceil(ms * Measure.NS_PER_MS);
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

    /** Returns true if the fabric is in real time. */
    public boolean isReal() {
        return !fabric().equals("sim");
    }

    /** Returns true if the fabric's atomics need not be atomic with respect to the server's CPU. */
    public boolean hasCardAtomics() {
        return fabric().equals("verbs");
    }

    /** Returns the durations; in real time at least {@code realTimeMs} (interval), and a fifth of it (warm-up). */
    public Measure measure() {
        Measure measure = section(Measure.class);
        if (!isReal()) {
            return measure;
        }
        return new Measure(
                measure.repeats,
                Math.max(measure.warmUpMs, measure.realTimeMs / 5),
                Math.max(measure.durationMs, measure.realTimeMs),
                measure.realTimeMs,
                0);
    }

    public Settings with(Measure other) {
        Map<Class<? extends Record>, Record> changed = new HashMap<>(sections);
        changed.put(Measure.class, other);
        return new Settings(changed);
    }

    /** Returns a section; throws an {@link IllegalArgumentException} if the record is not a section. */
    public <S extends Record> S section(Class<S> section) {
        Record values = sections.get(section);
        if (values == null) {
            throw new IllegalArgumentException("no section " + section.getName());
        }
        return section.cast(values);
    }

    /** Returns the seed of a repeat's keys and table, the same for all cells, so that equal cells share tables. */
    public long tableSeed(int repeat) {
        return seed() * 1_000_003L + repeat;
    }

    /** Returns the specification of the records' keys. */
    public KeySpec keySpec() {
        return new KeySpec(recordKeys(), workload().theta, keySpace());
    }

    /** Returns the distribution of keys over records. A named workload has distinct keys and skews requests instead. */
    private Distribution recordKeys() {
        return workload().isNamed() ? Distribution.DISTINCT : workload().keys;
    }

    /** Returns the number of possible keys. */
    public long keySpace() {
        long maxKeys = KeySets.maxKeySpace(recordKeys());
        if (table().keysPerRecord == 0) {
            return maxKeys;
        }
        return Math.clamp((long) Math.ceil(table().keysPerRecord * table().records), 1, maxKeys);
    }
}

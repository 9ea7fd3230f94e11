package org.reprobe.scenario;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.reprobe.nessie.Rules;
import org.reprobe.remote.VerbWorkload;
import org.reprobe.table.Storage;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

/**
 * Every setting of one cell, defaults filled in: what a run needs to know. The keys of a scenario file are given in
 * brackets where the name differs.
 *
 * @param fabric {@code sim}, {@code shm}, {@code tcp} or {@code verbs}
 * @param nic the NIC profile's name, for {@code sim} and for the model
 * @param loadFactor the table's load
 * @param assumedLoadFactor what the read-size model is told; empty for the real one
 * @param readBytes bytes of a READ of {@code linear-fixed}
 * @param readSlots overrides the read size of any linear scheme
 */
public record Settings(
        String fabric,
        String nic,
        long seed,
        Clients clients,
        Connection connection,
        Load load,
        Hosts hosts,
        Table table,
        Workload workload,
        SchemeName scheme,
        double loadFactor,
        OptionalDouble assumedLoadFactor,
        int readBytes,
        OptionalInt readSlots,
        Model model,
        Clusters clusters,
        Measure measure,
        Protocol protocol) {

    public record Clients(int machines, int threads) {}

    /**
     * How queue pairs are set up.
     *
     * @param sendQueue most requests posted at once by a client; 0 asks for latency mode: as many as one lookup needs
     * @param outstandingReads most READs in flight on a queue pair
     * @param representsSendQueue work requests of the queue pairs that these stand for on a simulated card; 0 for their own
     */
    public record Connection(int sendQueue, int outstandingReads, int representsSendQueue) {

        /** Work requests of a send queue that this one stands for, for each of its own. */
        public double scale() {
            return representsSendQueue == 0 || sendQueue == 0 ? 1 : (double) representsSendQueue / sendQueue;
        }
    }

    /**
     * How much is asked.
     *
     * @param lookupsPerSecond of all clients together; 0 for full send queues
     */
    public record Load(double lookupsPerSecond) {}

    /** Where the processes of a real fabric run. */
    public record Hosts(String server, List<String> clients) {
        public Hosts {
            clients = List.copyOf(clients);
        }
    }

    /**
     * The table.
     *
     * @param representsRecords records of the table that it stands for on a simulated card; 0 for its own
     */
    public record Table(
            long records,
            long representsRecords,
            int recordBytes,
            int keyBytes,
            Storage storage,
            int associativity,
            int hashes,
            int neighbourhood,
            long keySpace) {

        /** Records of the table that this one stands for, for each of its own. */
        public double scale() {
            return representsRecords == 0 ? 1 : (double) representsRecords / records;
        }
    }

    /**
     * What is asked.
     *
     * @param writes share of the operations that write or insert, for protocols
     */
    public record Workload(Operation operation, Distribution keys, double theta, double writes) {}

    /**
     * What only protocols ask.
     *
     * @param rules Nessie: which algorithms clients follow
     * @param newKeys Nessie: writes are of keys that are not there
     * @param alwaysPossible Nessie: new keys are such that no write needs the server
     * @param independentPlaces Nessie: the table is filled so that an item's other place tells nothing of this one
     * @param spareItems Nessie: items of each client that are free at first
     * @param backOffNs Nessie: the longest first wait before a repeated attempt
     * @param growth Nessie: how many times as large the server's program may make the index table; 0 for no such program
     * @param pilafFreeItems Pilaf: items that are free at first
     * @param chunkBuckets find-or-put: C; 0 for adaptive
     * @param chunks find-or-put: M
     * @param active find-or-put: processes that do something; 0 for all
     * @param verb verb: what clients do
     * @param verbBytes verb: what it carries
     */
    public record Protocol(
            Rules rules,
            boolean newKeys,
            boolean alwaysPossible,
            boolean independentPlaces,
            int spareItems,
            long backOffNs,
            int growth,
            int pilafFreeItems,
            int chunkBuckets,
            int chunks,
            int active,
            VerbWorkload.Verb verb,
            int verbBytes) {

        /** For cells whose scheme is no protocol. */
        public static final Protocol NONE =
                new Protocol(Rules.CORRECTED, false, false, false, 0, 0, 0, 1, 1, 1, 0, VerbWorkload.Verb.READ, 1);
    }

    public enum Operation {
        /** Look existing keys up. */
        LOOKUP,
        /** Run nothing: ask the model for its read size. */
        PREDICT
    }

    /**
     * What the read-size model assumes.
     *
     * @param homes whose home slots the model assumes
     * @param hintDistance for {@code PREDICT}: slots from the read's start to a known cluster's start; empty for no hint.
     *     The negative of the file's {@code hint-distance}, which is Fig. 13's x: where the read starts, from the cluster
     * @param hintSlots for {@code PREDICT}: the known cluster's length
     */
    public record Model(TailCutoff tailCutoff, Homes homes, OptionalInt hintDistance, int hintSlots) {}

    /**
     * Where the sum of E[X(R)] stops.
     *
     * @param cutoff the sum of E[X(R)] stops at the first i with C_iR at least this; 1 for the exact sum
     */
    public record TailCutoff(double cutoff) {
        public boolean exact() {
            return cutoff >= 1;
        }
    }

    public enum Homes {
        /** A uniformly random slot, as in the paper's section 3. */
        RANDOM,
        /** The home slot of a key that exists: biased towards long clusters. */
        EXISTING_KEYS
    }

    public record Clusters(boolean track, int count) {}

    public record Measure(int repeats, double warmUpMs, double durationMs) {}

    /** The table that this cell's repeat {@code repeat} looks keys up in: cells that differ in scheme only share it. */
    public TableSpec tableSpec(int repeat) {
        return new TableSpec(
                scheme.table(),
                table.storage(),
                table.records(),
                table.recordBytes(),
                loadFactor,
                table.associativity(),
                table.hashes(),
                table.neighbourhood(),
                new KeySpec(workload.keys(), workload.theta(), table.keySpace()),
                tableSeed(repeat));
    }

    /** What a repeat's keys and table are drawn from: the same for all cells, so that those of one load can share them. */
    public long tableSeed(int repeat) {
        return seed * 1_000_003L + repeat;
    }
}

package org.reprobe.run;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.LookupDemand;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.scenario.SchemeName;
import org.reprobe.scenario.Settings;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableRefusedException;
import org.reprobe.workload.Distribution;

/** Simulates one configuration of a plan, on one server with a table of its own. */
public final class PlanTrial implements AutoCloseable {
    private static final long MOST_KEYS = (1L << 32) - 1;

    private final NicProfile nic;
    private final TableShape shape;
    private final CardLoad.Clients clients;
    private final long seed;
    private final long records;
    private final long representsRecords;
    private final double writeShare;
    private final TableImage image;
    private final boolean owner;

    /**
     * What a simulated run showed.
     *
     * @param problem why it proves nothing; null when it does
     */
    public record Seen(
            double lookupsPerSecond,
            double requestsPerLookup,
            double p50Ns,
            double p99Ns,
            @Nullable String problem) {}

    /**
     * Builds the table.
     *
     * @param representsRecords records of the table that the one built, of so many {@code records}, stands for
     * @param writeShare of operations that write the record that they looked up
     * @throws TableRefusedException when there is no such table or no memory for it
     */
    public PlanTrial(
            NicProfile nic,
            TableShape shape,
            CardLoad.Clients clients,
            long records,
            long representsRecords,
            double writeShare,
            long seed)
            throws TableRefusedException {
        this.nic = nic;
        this.shape = shape;
        this.clients = clients;
        this.seed = seed;
        this.records = records;
        this.representsRecords = representsRecords;
        this.writeShare = writeShare;
        this.image = TableBuilder.build(settings(clients.sendQueue(), 0, 0, 1).tableSpec(0), 1);
        this.owner = true;
    }

    private PlanTrial(PlanTrial other, CardLoad.Clients clients) {
        this.nic = other.nic;
        this.shape = other.shape;
        this.clients = clients;
        this.seed = other.seed;
        this.records = other.records;
        this.representsRecords = other.representsRecords;
        this.writeShare = other.writeShare;
        this.image = other.image;
        this.owner = false;
    }

    /** What the closed form makes of it. */
    public CardLoad load() {
        return new CardLoad(nic, shape, LookupDemand.of(shape), clients, tableBytes(), writeShare);
    }

    /** Records that the table stands for, for each of its own. */
    double scale() {
        return (double) representsRecords / records;
    }

    /** The same table with other clients. */
    public PlanTrial with(CardLoad.Clients others) {
        return new PlanTrial(this, others);
    }

    /** Bytes of table and heap that they stand for. */
    private double tableBytes() {
        double own = image.geometry().tableBytes() + image.geometry().heapBytes();
        return own * scale();
    }

    /**
     * Runs operations.
     *
     * @param sendQueue work requests of a queue pair; 0 for one lookup at a time
     * @param lookupsPerSecond operations of all clients together; 0 for as many as they can make
     */
    public Seen run(int sendQueue, double lookupsPerSecond, double warmUpMs, double durationMs)
            throws InterruptedException {
        CellRun.Outcome outcome =
                CellRun.run(settings(sendQueue, lookupsPerSecond, warmUpMs, durationMs), image, nic, seed, writeShare);
        if (!outcome.valid()) {
            return new Seen(0, 0, 0, 0, outcome.problem());
        }
        return new Seen(
                outcome.metrics().getOrDefault(Metrics.THROUGHPUT, Double.NaN),
                outcome.metrics().getOrDefault(Metrics.REQUESTS, Double.NaN),
                outcome.metrics().getOrDefault(Metrics.LATENCY + ".p50", Double.NaN),
                outcome.metrics().getOrDefault(Metrics.LATENCY + ".p99", Double.NaN),
                null);
    }

    private Settings settings(int sendQueue, double lookupsPerSecond, double warmUpMs, double durationMs) {
        SchemeName scheme = SchemeName.ofKey(shape.scheme().key());
        return new Settings(
                "sim",
                nic.name(),
                seed,
                new Settings.Clients(clients.machines(), clients.threads()),
                new Settings.Connection(sendQueue, clients.outstandingReads(), 0),
                new Settings.Load(lookupsPerSecond),
                new Settings.Hosts("", List.of()),
                new Settings.Table(
                        records,
                        representsRecords,
                        shape.recordBytes(),
                        Integer.BYTES,
                        shape.inline() ? Storage.INLINE : Storage.HEAP,
                        shape.associativity(),
                        Math.max(2, shape.hashes()),
                        Math.max(2, shape.neighbourhood()),
                        MOST_KEYS),
                new Settings.Workload(Settings.Operation.LOOKUP, Distribution.DISTINCT, 0, 0),
                scheme,
                shape.loadFactor(),
                OptionalDouble.empty(),
                shape.readBytes(),
                OptionalInt.of(shape.readSlots()),
                new Settings.Model(new Settings.TailCutoff(0.99), Settings.Homes.RANDOM, OptionalInt.empty(), 10),
                new Settings.Clusters(false, 1000),
                new Settings.Measure(1, warmUpMs, durationMs),
                Settings.Protocol.NONE);
    }

    @Override
    public void close() {
        if (owner) {
            image.close();
        }
    }
}

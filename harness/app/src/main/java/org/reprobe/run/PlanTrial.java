package org.reprobe.run;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.scenario.CellSettings;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;

/** Simulates one configuration of a plan, on one server with a table of its own. */
public final class PlanTrial implements AutoCloseable {
    private final NicProfile nic;
    private final TableShape shape;
    private final CardLoad.Clients clients;
    private final long seed;
    private final long records;
    private final long representsRecords;
    private final double writeShare;
    private final BuiltContent content;
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
     * @throws RefusedException when there is no such table, no memory for it, or the system can't be simulated so
     */
    public PlanTrial(
            NicProfile nic,
            TableShape shape,
            CardLoad.Clients clients,
            long records,
            long representsRecords,
            double writeShare,
            long seed)
            throws RefusedException {
        this.nic = nic;
        this.shape = shape;
        this.clients = clients;
        this.seed = seed;
        this.records = records;
        this.representsRecords = representsRecords;
        this.writeShare = writeShare;
        Content table = SharedContent.of(run(settings(clients.sendQueue(), 0, 0, 1)));
        String scheme = shape.scheme().key();
        SystemUnderTest system = Systems.of(scheme);
        if (table == null || !Systems.reads(system, scheme, "load.rate-per-s")) {
            throw new RefusedException("clients of " + scheme + " make no lookups at a given rate");
        }
        if (writeShare > 0 && !Systems.reads(system, scheme, "workload.writes")) {
            throw new RefusedException("clients of " + scheme + " only read");
        }
        this.content = table.build(Content.Builder.anew(1));
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
        this.content = other.content;
        this.owner = false;
    }

    /** What the closed form makes of it. */
    public CardLoad load() {
        return new CardLoad(nic, shape, shape.demand(), clients, tableBytes(), writeShare);
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
    double tableBytes() {
        return content.bytes() * scale();
    }

    /**
     * Runs operations.
     *
     * @param sendQueue work requests of a queue pair; 0 for one lookup at a time
     * @param lookupsPerSecond operations of all clients together; 0 for as many as they can make
     */
    public Seen run(int sendQueue, double lookupsPerSecond, double warmUpMs, double durationMs)
            throws InterruptedException {
        Settings settings = settings(sendQueue, lookupsPerSecond, warmUpMs, durationMs);
        RunOutcome outcome = SimulatedRun.run(settings, nic, content, 0, seed);
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

    private Run run(Settings settings) {
        return Systems.of(settings.scheme()).deployment(settings, nic, 0);
    }

    private Settings settings(int sendQueue, double lookupsPerSecond, double warmUpMs, double durationMs) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("nic", nic.name());
        values.put("seed", seed);
        values.put("scheme", shape.scheme().key());
        values.put("load-factor", shape.loadFactor());
        values.put("clients.machines", clients.machines());
        values.put("clients.threads", clients.threads());
        values.put("connection.send-queue", sendQueue == 0 ? "latency" : sendQueue);
        values.put("connection.outstanding-reads", clients.outstandingReads());
        values.put("load.rate-per-s", lookupsPerSecond == 0 ? "full" : lookupsPerSecond);
        values.put("table.records", records);
        values.put("table.represents-records", representsRecords);
        values.put("table.record-bytes", shape.recordBytes());
        values.put("table.storage", shape.inline() ? "inline" : "heap");
        values.put("workload.keys", "distinct");
        values.put("workload.writes", writeShare);
        values.putAll(shape.settings());
        values.put("measure.warm-up-ms", warmUpMs);
        values.put("measure.duration-ms", durationMs);
        return CellSettings.of(values);
    }

    @Override
    public void close() {
        if (owner) {
            content.close();
        }
    }
}

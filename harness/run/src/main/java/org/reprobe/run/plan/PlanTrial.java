package org.reprobe.run.plan;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.run.SimulatedRun;
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

/** Simulation of one configuration of a plan, on one server with a table of its own. */
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

    /** Result of a simulated run, with the reason why it is invalid, or null. */
    public record Result(
            double lookupsPerSecond,
            double requestsPerLookup,
            double p50Ns,
            double p99Ns,
            double p999Ns,
            @Nullable String problem) {}

    /**
     * Builds a table that represents a larger one; {@code writeShare} of the operations write the record found. Fails
     * if there is no such table, not enough memory, or the system can't be simulated with these settings.
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
            throw new RefusedException("clients of " + scheme + " can't issue lookups at a given rate");
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

    public CardLoad load() {
        return new CardLoad(nic, shape, shape.demand(), clients, tableBytes(), writeShare);
    }

    /** Returns the number of represented records per record of the table. */
    double scale() {
        return (double) representsRecords / records;
    }

    public PlanTrial with(CardLoad.Clients others) {
        return new PlanTrial(this, others);
    }

    double tableBytes() {
        return content.bytes() * scale();
    }

    /** Runs operations; {@code sendQueue} 0 is for one lookup at a time, load 0 for closed-loop clients. */
    public Result run(int sendQueue, double lookupsPerSecond, double warmUpMs, double durationMs)
            throws InterruptedException {
        Settings settings = settings(sendQueue, lookupsPerSecond, warmUpMs, durationMs);
        RunOutcome outcome = SimulatedRun.run(settings, nic, content, 0, seed);
        if (!outcome.valid()) {
            return new Result(0, 0, 0, 0, 0, outcome.problem());
        }
        return new Result(
                outcome.metrics().getOrDefault(Metrics.THROUGHPUT, Double.NaN),
                outcome.metrics().getOrDefault(Metrics.REQUESTS, Double.NaN),
                outcome.metrics().getOrDefault(Metrics.LATENCY + ".p50", Double.NaN),
                outcome.metrics().getOrDefault(Metrics.LATENCY + ".p99", Double.NaN),
                outcome.metrics().getOrDefault(Metrics.LATENCY + ".p999", Double.NaN),
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

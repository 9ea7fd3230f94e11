package org.reprobe.memcached;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.program.ExternalProgram;
import org.reprobe.workload.NamedWorkload.Writes;

/** Scheme {@code memcached}: the program, accessed by Java clients over sockets; measured, never simulated. */
public final class MemcachedSystem implements ExternalProgram {
    static final String SCHEME = "memcached";
    private static final String ADDRESS = SCHEME + ".address";
    private static final String FABRIC = "tcp";

    /** Maximum size of a record in bytes; memcached splits larger items. */
    private static final int MAX_RECORD_BYTES = 256 << 10;

    private static final long MAX_RECORDS = 1L << 28;

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme(SCHEME, "memcached"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(MemcachedSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return Set.of(
                "table.records",
                "table.record-bytes",
                "workload.keys",
                "workload.theta",
                "workload.writes",
                NamedWorkloads.KEY,
                SCHEME);
    }

    @Override
    public Map<String, String> alternatives() {
        return Map.of(
                "load-factor", "the table of memcached grows with its records",
                "load.rate-per-s", "its clients begin an operation when another has ended; use memcached.in-flight",
                "connection.send-queue", "use memcached.in-flight");
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        MemcachedSettings own = settings.section(MemcachedSettings.class);
        RemoteSystems.checkKeys(cell);
        NamedWorkloads.check(
                cell,
                EnumSet.of(Writes.UPDATE, Writes.READ_MODIFY_WRITE),
                Map.of(Writes.INSERT, "has only the records that it was loaded with: use another of ycsb-a to ycsb-f"));
        if (!settings.fabric().equals(FABRIC)) {
            cell.reportProblem(
                    "memcached is a program that uses sockets: its lookups are measured on fabric tcp, and can't be run on %s"
                            .formatted(settings.fabric()),
                    "fabric",
                    "scheme");
        }
        checkAddress(cell, own);
        int valueBytes = settings.table().recordBytes() - Records.KEY_BYTES;
        if (valueBytes < Long.BYTES || valueBytes % Long.BYTES != 0) {
            cell.reportProblem(
                    "records of %d bytes, of which memcached's keys take %d, leave %d for a value, which must be whole words of 8 bytes"
                            .formatted(settings.table().recordBytes(), Records.KEY_BYTES, Math.max(0, valueBytes)),
                    "table.record-bytes");
        }
        if (settings.table().recordBytes() > MAX_RECORD_BYTES) {
            cell.reportProblem(
                    "records of %d bytes: memcached takes at most %d here"
                            .formatted(settings.table().recordBytes(), MAX_RECORD_BYTES),
                    "table.record-bytes");
        }
        if (settings.table().records() > MAX_RECORDS) {
            cell.reportProblem(
                    "%d records: memcached takes at most %d here"
                            .formatted(settings.table().records(), MAX_RECORDS),
                    "table.records");
        }
    }

    private static void checkAddress(CellCheck cell, MemcachedSettings own) {
        ServerAddress given = own.given();
        if (given == null) {
            if (!cell.settings().hosts().areLocal()) {
                cell.reportProblem(
                        "a started memcached is reachable on its own host only: start one that the clients can reach, and set memcached.address",
                        "hosts.server",
                        "hosts.clients");
            }
        } else {
            String started = "no memcached is started if memcached.address is set";
            cell.reportNoEffect("memcached.server-threads", started);
            cell.reportNoEffect("memcached.memory-mib", started);
            if (given.port() == 0 || given.port() > ServerAddress.MAX_PORT) {
                cell.reportProblem("%s: ports are 1 to %d".formatted(given, ServerAddress.MAX_PORT), ADDRESS);
            }
        }
    }

    @Override
    public Optional<String> missingRequirement(Settings settings) {
        boolean starts = settings.section(MemcachedSettings.class).given() == null;
        return starts && !ServerProcess.isInstalled() ? Optional.of(ServerProcess.MISSING) : Optional.empty();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new MemcachedDeployment(settings, repeat);
    }
}

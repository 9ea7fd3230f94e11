package org.reprobe.farm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.reprobe.farm.commit.LogFolder;
import org.reprobe.farm.transactions.ObjectArray;
import org.reprobe.system.MachinesTest;

/** Transactions over few objects with replicas and leases; over larger ones if machines that rejoin copy them. */
record TransactionsMachinesTest(int objectsPerMachine, int objectBytes) implements MachinesTest {
    static final TransactionsMachinesTest SMALL = new TransactionsMachinesTest(20, 48);
    private static final TransactionsMachinesTest LARGE = new TransactionsMachinesTest(2000, 4096);

    /** Space for the last versions of {@link #LARGE}'s objects. */
    private static final int LOG_BYTES = 1 << 26;

    private static final int REPLICAS = 2;

    /** Time within which processes that share few cores all run. */
    private static final int LEASE_MS = 1000;

    /** Longer, since a region needs the log of a replica, and waits for a CPU must not evict one. */
    private static final int RESTART_LEASE_MS = 2000;

    @Override
    public String scheme() {
        return FarmKeys.TRANSACTIONS;
    }

    @Override
    public String condition() {
        return "farm.lease-ms of " + FarmKeys.TRANSACTIONS;
    }

    private static int replicas(int machines) {
        return Math.min(REPLICAS, machines - 1);
    }

    /** Leaves at least two machines, so that requests between machines continue. */
    @Override
    public int mayFail(int machines) {
        return Math.max(0, Math.min(REPLICAS, machines - 2));
    }

    /** Leaves a replica of each region: primaries do not log. */
    @Override
    public int mayFailBeforeRestart(int machines) {
        return Math.max(0, Math.min(mayFail(machines), replicas(machines) - 1));
    }

    @Override
    public Map<String, Object> restartSettings() {
        return Map.of("farm.logs", "files", "farm.lease-ms", RESTART_LEASE_MS);
    }

    @Override
    public void tear(Path logs, int machines, RandomGenerator random) throws IOException {
        LogFolder folder = new LogFolder(logs);
        for (int machine = 0; machine < machines; machine++) {
            folder.tear(machine, random);
        }
    }

    @Override
    public MachinesTest forRejoins() {
        return LARGE;
    }

    @Override
    public Map<String, Object> settings(int machines) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("table.records", objectsPerMachine * machines);
        settings.put("table.record-bytes", objectBytes);
        settings.put("workload.writes", 0.7);
        settings.put("transactions.read-objects", 3);
        settings.put("transactions.written-objects", 2);
        settings.put("farm.in-flight", 2);
        settings.put("farm.back-off-us", 50);
        settings.put("farm.replicas", replicas(machines));
        settings.put("farm.replication", "prepare-commit");
        settings.put("farm.lease-ms", LEASE_MS);
        settings.put("farm.ring-bytes", 8192);
        if (equals(LARGE)) {
            settings.put("workload.keys", "zipf");
            settings.put("workload.theta", 0.99);
            settings.put("farm.log-bytes", LOG_BYTES);
            settings.put("farm.ring-bytes", 65_536);
        }
        return settings;
    }

    @Override
    public Map<Long, Long> before(int machines) {
        Map<Long, Long> loaded = new LinkedHashMap<>();
        for (long number = 0; number < (long) objectsPerMachine * machines; number++) {
            loaded.put(number, ObjectArray.LOADED);
        }
        return loaded;
    }
}

package org.example.race;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.CrashTest;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.trial.SystemTrials;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.NamedWorkload.Writes;

/** RACE hashing (USENIX ATC 2021): clients read, write and split subtables by one-sided operations. */
public final class RaceSystem implements Explorable, CrashTestable {

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("race", "RACE"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(RaceSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return RemoteSystems.keyValue("race");
    }

    @Override
    public Map<String, String> alternatives() {
        return RemoteSystems.ONE_AT_A_TIME;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        RaceSettings race = settings.section(RaceSettings.class);
        RemoteSystems.checkAtomics(cell);
        RemoteSystems.check(
                cell,
                settings.table().records() + (long) settings.clients().total() * race.coroutines() * race.spareBlocks(),
                "race.spare-blocks",
                1);
        int maxRecordBytes = Long.BYTES + RaceTable.maxValueBytes();
        if (settings.table().recordBytes() > maxRecordBytes) {
            cell.reportProblem(
                    "records of %d bytes: a slot's length has 8 bits for units of %d bytes, enough for records of %d"
                            .formatted(settings.table().recordBytes(), RaceTable.UNIT_BYTES, maxRecordBytes),
                    "table.record-bytes",
                    "scheme");
        }
        RemoteSystems.checkNamed(cell, "race.new-keys");
        checkThreads(cell, race);
        if (settings.workload().writes() == 0) {
            String unused = "clients do not write; it applies if workload.writes is above 0";
            for (String key : List.of(
                    "race.rules",
                    "race.max-depth",
                    "race.new-keys",
                    "race.spare-blocks",
                    "race.back-off-ns",
                    "race.conflicts",
                    "race.epoch-ms",
                    "race.write-ns")) {
                cell.reportNoEffect(key, unused);
            }
        } else if (!inserts(settings)) {
            String unused = "clients do not insert; it applies if race.new-keys is true";
            cell.reportNoEffect("race.rules", unused);
            cell.reportNoEffect("race.max-depth", unused);
        } else if (race.maxDepth() > race.depth()) {
            checkSplits(cell);
        }
    }

    private static void checkThreads(CellCheck cell, RaceSettings race) {
        Settings settings = cell.settings();
        if (race.conflicts() == RaceSettings.Avoidance.NONE || race.conflicts() == RaceSettings.Avoidance.BACK_OFF) {
            cell.reportNoEffect("race.epoch-ms", "it applies to race.conflicts: dynamic and coroutines");
        }
        if (race.coroutines() == 1) {
            cell.reportNoEffect("race.waits", "it applies to race.coroutines above 1");
            cell.reportNoEffect("race.throttle", "it applies to race.coroutines above 1");
        }
        if (settings.workload().writes() == 1) {
            cell.reportNoEffect("race.read-ns", "clients do not read; it applies if workload.writes is below 1");
        }
        if (race.readNs() == 0 && race.writeNs() == 0) {
            String unused = "it applies to race.read-ns and race.write-ns above 0";
            cell.reportNoEffect("race.cpu-variation", unused);
            cell.reportNoEffect("race.cores", unused);
        }
        if (settings.workload().keys() != Distribution.ZIPF
                || settings.workload().isNamed()) {
            cell.reportNoEffect("race.ranks", "it applies to workload.keys: zipf");
        }
        if (!settings.faults().isEmpty() && (race.coroutines() > 1 || race.servers() > 1)) {
            cell.reportProblem(
                    "faults are not simulated with coroutines or several servers; use 1 of each",
                    race.coroutines() > 1 ? "race.coroutines" : "race.servers");
        }
        boolean shares = race.coroutines() > 1 || race.allocation() == RaceSettings.Allocation.DRIVER;
        if (shares && cell.nic() != null && cell.nic().card().lockNs() == 0) {
            cell.reportProblem(
                    "NIC profile %s has no cost of shared queue pairs and doorbells (card.lock-ns)"
                            .formatted(settings.nic()),
                    race.coroutines() > 1 ? "race.coroutines" : "race.allocation",
                    "nic");
        }
    }

    private static boolean inserts(Settings settings) {
        return settings.workload().isNamed()
                ? settings.workload().kind() == Writes.INSERT
                : settings.section(RaceSettings.class).newKeys();
    }

    private static void checkSplits(CellCheck cell) {
        if (cell.settings().section(RaceSettings.class).rules() == RaceRules.PRINTED) {
            cell.reportProblem(
                    "by the printed rules an insert is visible before it has read again, possibly after its bucket was split;"
                            + " use the corrected rules for splits",
                    "race.rules",
                    "race.max-depth");
        }
        if (!cell.settings().faults().isEmpty()) {
            cell.reportProblem(
                    "interrupted splits are never completed; use no faults, or a max-depth of at most race.depth",
                    "race.max-depth",
                    "scheme");
        }
    }

    @Override
    public SystemTrials trials() {
        return RaceTrials.all();
    }

    @Override
    public CrashTest crashTest() {
        return new RaceCrashTest();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new RaceDeployment(settings, repeat);
    }
}

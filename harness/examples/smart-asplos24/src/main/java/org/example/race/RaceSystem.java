package org.example.race;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.CrashTest;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.trial.SystemTrials;

/** RACE hashing without its resizing: clients read and write by one-sided operations. */
public final class RaceSystem implements SystemUnderTest {

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
    public Map<String, String> instead() {
        return RemoteSystems.ONE_AT_A_TIME;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        RaceSettings race = settings.section(RaceSettings.class);
        RemoteSystems.checkAtomics(cell);
        RemoteSystems.check(
                cell,
                settings.table().records() + (long) settings.clients().total() * race.spareBlocks(),
                "race.spare-blocks",
                1);
        int maxRecordBytes = Long.BYTES + RaceTable.maxValueBytes();
        if (settings.table().recordBytes() > maxRecordBytes) {
            cell.complain(
                    "records of %d bytes: a slot's length has 8 bits for units of %d bytes, enough for records of %d"
                            .formatted(settings.table().recordBytes(), RaceTable.UNIT_BYTES, maxRecordBytes),
                    "table.record-bytes",
                    "scheme");
        }
        if (settings.workload().writes() == 0) {
            String nobody = "nobody writes: it is for workload.writes above 0";
            for (String key : List.of("race.rules", "race.new-keys", "race.spare-blocks", "race.back-off-ns")) {
                cell.hasNoEffect(key, nobody);
            }
        } else if (!race.newKeys()) {
            cell.hasNoEffect("race.rules", "nobody inserts: it is for race.new-keys: true");
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

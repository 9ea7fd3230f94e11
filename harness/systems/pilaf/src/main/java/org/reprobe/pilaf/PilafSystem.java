package org.reprobe.pilaf;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.pilaf.trials.PilafCrashTest;
import org.reprobe.pilaf.trials.PilafTrials;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.CrashTest;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.trial.SystemTrials;

/** Pilaf as described in the Nessie paper: clients read by one-sided operations, the server writes. */
public final class PilafSystem implements Explorable, CrashTestable {

    @Section(
            name = "pilaf",
            meaning = "Scheme pilaf: clients read a 3-way cuckoo table by one-sided operations, the server writes it.")
    public record PilafSettings(
            @Key(byDefault = "1024", min = 1, max = 1 << 20, meaning = """
                    Initially free data items; the server needs at least one more item than there are keys.""")
            int freeItems,

            @Key(byDefault = "false", meaning = "True for writes of absent keys, false for overwrites.")
            boolean newKeys,

            @Key(byDefault = "2000", min = 0, max = 1L << 40, meaning = """
                    Wait before the first repetition of a read, in nanoseconds; it doubles with each repetition.""")
            long backOffNs) {}

    @Override
    public int position() {
        return 3;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("pilaf", "Pilaf"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(PilafSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return RemoteSystems.keyValue("pilaf");
    }

    @Override
    public Map<String, String> alternatives() {
        return RemoteSystems.ONE_AT_A_TIME;
    }

    @Override
    public void check(CellCheck cell) {
        long items = cell.settings().table().records()
                + cell.settings().section(PilafSettings.class).freeItems();
        RemoteSystems.check(cell, items, "pilaf.free-items", 1);
        RemoteSystems.checkNamed(cell, "pilaf.new-keys");
    }

    @Override
    public SystemTrials trials() {
        return PilafTrials.all();
    }

    @Override
    public CrashTest crashTest() {
        return new PilafCrashTest();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new PilafDeployment(settings, repeat);
    }
}

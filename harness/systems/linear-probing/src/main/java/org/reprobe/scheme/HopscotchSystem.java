package org.reprobe.scheme;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.scheme.trials.LockedUpdatesTrials;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.Plannable;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.trial.SystemTrials;
import org.reprobe.workload.Distribution;

/** Hopscotch hashing, plain and with overflow chains (FaRM 2014, section 3.6). */
public final class HopscotchSystem implements Explorable, Plannable {
    static final Scheme PLAIN = new Scheme("hopscotch", "Hopscotch", 5);
    static final Scheme CHAINED = new Scheme("hopscotch-chained", "Chained Hopscotch", 6);

    /** Keys of section {@code hopscotch}. */
    @Section(name = "hopscotch", meaning = "Schemes hopscotch and hopscotch-chained.")
    public record HopscotchSettings(
            @Key(
                    formerly = "table.neighbourhood",
                    byDefault = "8",
                    min = 2,
                    max = TableSpec.MAX_NEIGHBOURHOOD,
                    meaning = "Neighbourhood H, in slots.")
            int neighbourhood) {}

    @Override
    public int position() {
        return 1;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(PLAIN, CHAINED);
    }

    @Override
    public List<PlannedScheme> planned() {
        return schemes().stream().<PlannedScheme>map(PlannedHopscotch::new).toList();
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(HopscotchSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(LookupSystems.READ);
        keys.add("hopscotch");
        return keys;
    }

    @Override
    public SystemTrials trials() {
        return LockedUpdatesTrials.ofHopscotch();
    }

    @Override
    public void check(CellCheck cell) {
        LookupSystems.check(cell, spec(cell.settings(), 0));
    }

    private static TableSpec spec(Settings settings, int repeat) {
        return LookupSystems.spec(
                settings,
                repeat,
                settings.scheme().equals(CHAINED.name()) ? TableKind.HOPSCOTCH_CHAINED : TableKind.HOPSCOTCH);
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        Probing probing = new Probing.Hopscotch(settings.workload().keys() == Distribution.DISTINCT);
        return new LookupDeployment(settings, nic, spec(settings, repeat), probing, null);
    }
}

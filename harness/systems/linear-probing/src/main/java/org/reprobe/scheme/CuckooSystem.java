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

/** Cuckoo hashing; lookups read the candidate slots in parallel or one by one (linear-probing paper, Algorithm 3). */
public final class CuckooSystem implements Explorable, Plannable {
    private static final Scheme SEQUENTIAL = new Scheme("cuckoo-sequential", "Sequential Cuckoo", 4);
    static final Scheme PARALLEL = new Scheme("cuckoo-parallel", "Parallel Cuckoo", 2);

    /** Keys of section {@code cuckoo}. */
    @Section(name = "cuckoo", meaning = "Schemes cuckoo-*: a key's candidate slots.")
    public record CuckooSettings(
            @Key(
                    formerly = "table.associativity",
                    byDefault = "4",
                    min = 1,
                    max = TableSpec.MAX_ASSOCIATIVITY,
                    meaning = "Records per slot.")
            int associativity,

            @Key(
                    formerly = "table.hashes",
                    byDefault = "3",
                    min = 2,
                    max = TableSpec.MAX_HASHES,
                    meaning = "Candidate slots of a key.")
            int hashes) {}

    @Override
    public int position() {
        return 1;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(SEQUENTIAL, PARALLEL);
    }

    @Override
    public List<PlannedScheme> planned() {
        return List.of(new PlannedCuckoo(SEQUENTIAL, false), new PlannedCuckoo(PARALLEL, true));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(CuckooSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(LookupSystems.READ);
        keys.add("cuckoo");
        return keys;
    }

    @Override
    public SystemTrials trials() {
        return LockedUpdatesTrials.ofCuckoo();
    }

    @Override
    public void check(CellCheck cell) {
        LookupSystems.check(cell, LookupSystems.spec(cell.settings(), 0, TableKind.CUCKOO));
        int hashes = cell.settings().section(CuckooSettings.class).hashes();
        int sendQueue = cell.settings().connection().sendQueue();
        if (cell.settings().scheme().equals(PARALLEL.name()) && sendQueue > 0 && sendQueue < hashes) {
            cell.reportProblem(
                    "send-queue is %d, but a lookup of cuckoo-parallel posts %d READs at once"
                            .formatted(sendQueue, hashes),
                    "connection.send-queue",
                    "cuckoo.hashes",
                    "scheme");
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        Probing probing = new Probing.Cuckoo(settings.scheme().equals(PARALLEL.name()));
        return new LookupDeployment(
                settings, nic, LookupSystems.spec(settings, repeat, TableKind.CUCKOO), probing, null);
    }
}

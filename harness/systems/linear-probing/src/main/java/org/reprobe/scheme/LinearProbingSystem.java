package org.reprobe.scheme;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.scheme.trials.LockedUpdatesTrials;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Explorable;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Plannable;
import org.reprobe.system.Run;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.trial.SystemTrials;

/** Linear probing with fixed read sizes or sizes chosen by a model (linear-probing paper, sections 3 and 4). */
public final class LinearProbingSystem implements Explorable, Plannable {
    static final Scheme FIXED = new Scheme("linear-fixed", "Fixed Linear", 1);
    static final Scheme VARIABLE = new Scheme("linear-variable", "Variable Linear", 0);
    static final Scheme UNCONSTRAINED = new Scheme("linear-variable-unconstrained", "Var. Linear (uncons.)", 3);

    static final Scheme TWO_SIDED = new Scheme("linear-two-sided", "Two-sided Linear");

    private static final String SERVER_THREADS = "linear-probing.server-threads";
    private static final String SMALL = "table.small-record-bytes";
    private static final String SMALL_SHARE = "table.small-share";
    private static final String INLINE_BYTES = "table.inline-bytes";

    /** Keys of lookups by READs that lookups by messages do not read. */
    private static final Set<String> ONE_SIDED = Set.of(
            "connection.outstanding-reads",
            LookupSystems.GATHER,
            "connection.timeout",
            "connection.retry-count",
            "connection.timeout-floor",
            "connection.represents-send-queue",
            "load",
            "table.represents-records",
            "workload.writes",
            NamedWorkloads.KEY);

    @Override
    public int position() {
        return 1;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(FIXED, VARIABLE, UNCONSTRAINED, TWO_SIDED);
    }

    @Override
    public List<PlannedScheme> planned() {
        return Stream.of(FIXED, VARIABLE, UNCONSTRAINED)
                .<PlannedScheme>map(PlannedLinear::new)
                .toList();
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(LinearSettings.class, LinearSettings.Model.class, LinearSettings.Clusters.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(LookupSystems.READ);
        keys.addAll(Set.of(SMALL, SMALL_SHARE, INLINE_BYTES));
        if (scheme.equals(TWO_SIDED.name())) {
            keys.removeAll(ONE_SIDED);
            keys.add(SERVER_THREADS);
            return keys;
        }
        keys.addAll(Set.of("nic", "workload.operation"));
        if (scheme.equals(FIXED.name())) {
            keys.addAll(Set.of(
                    "linear-probing.assumed-load-factor",
                    "linear-probing.read-slots",
                    "linear-probing.read-bytes",
                    "model.tail-cutoff",
                    "model.homes"));
        } else {
            keys.addAll(Set.of("linear-probing.assumed-load-factor", "linear-probing.read-slots", "model", "clusters"));
        }
        return keys;
    }

    @Override
    public SystemTrials trials() {
        return LockedUpdatesTrials.ofLinear();
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        if (settings.scheme().equals(TWO_SIDED.name())) {
            LookupSystems.check(cell, spec(settings, 0));
            checkSizes(cell);
            return;
        }
        boolean lookup = settings.workload().operation() == Settings.Operation.LOOKUP;
        LinearSettings linear = settings.section(LinearSettings.class);
        boolean track = settings.section(LinearSettings.Clusters.class).track();
        if (lookup) {
            LookupSystems.check(cell, spec(settings, 0));
            cell.reportNoEffect(
                    "model.hint-distance",
                    "it requires operation predict; lookups take their hints from clusters.track");
            cell.reportNoEffect("model.hint-slots", "it requires operation predict, with hint-distance");
        } else {
            String nothing = "operation predict runs nothing; use operation lookup";
            cell.reportNoEffect("workload.writes", nothing);
            cell.reportNoEffect(NamedWorkloads.KEY, nothing);
            FaultKeys.reportNoRetries(cell, nothing);
            FaultKeys.reportNoSeries(cell, nothing);
        }
        if (!track) {
            cell.reportNoEffect("clusters.count", "it requires clusters.track: true");
        }
        checkSizes(cell);
        long slotBytes = ReadSizes.slotBytes(settings);
        if (settings.scheme().equals(FIXED.name()) && linear.readSlots().isEmpty() && linear.readBytes() < slotBytes) {
            cell.reportProblem(
                    "read-bytes is %d, less than one slot of %d bytes".formatted(linear.readBytes(), slotBytes),
                    "linear-probing.read-bytes",
                    "table.record-bytes");
        }
        ReadSizes.checkLoadFactor(cell);
        NicProfile nic = cell.nic();
        if (settings.isReal() || nic == null) {
            return;
        }
        long maxBytes = nic.limits().messageBytes();
        if (linear.readSlots().isPresent()) {
            long bytes = linear.readSlots().getAsInt() * slotBytes;
            if (bytes > maxBytes) {
                cell.reportProblem(
                        "a READ of %d slots has %d bytes, but %s allows at most %d"
                                .formatted(linear.readSlots().getAsInt(), bytes, settings.nic(), maxBytes),
                        "linear-probing.read-slots",
                        "nic");
            }
        }
        LookupSystems.limit(cell, "linear-probing.read-bytes", linear.readBytes(), maxBytes);
    }

    private static void checkSizes(CellCheck cell) {
        Settings.Table table = cell.settings().table();
        int small = table.smallRecordBytes();
        if (small == 0) {
            String one = "all records have record-bytes; set table.small-record-bytes";
            cell.reportNoEffect(SMALL_SHARE, one);
            cell.reportNoEffect(INLINE_BYTES, one);
            return;
        }
        if (small >= table.recordBytes()) {
            cell.reportProblem(
                    "small records of %d bytes must be smaller than the others, which have %d"
                            .formatted(small, table.recordBytes()),
                    SMALL,
                    "table.record-bytes");
        }
        if (table.storage() == Storage.INLINE) {
            cell.reportNoEffect(INLINE_BYTES, "all records are in the slots; use storage: heap");
        } else if (table.inlineBytes() > 0
                && (table.inlineBytes() < small || table.inlineBytes() >= table.recordBytes())) {
            cell.reportProblem(
                    "inline-bytes is %d, but must separate small records of %d bytes from the others of %d: use %d to %d, or storage: inline for all records in the slots"
                            .formatted(table.inlineBytes(), small, table.recordBytes(), small, table.recordBytes() - 1),
                    INLINE_BYTES,
                    SMALL,
                    "table.record-bytes");
        }
        if (cell.settings().workload().writes() > 0) {
            cell.reportProblem(
                    "lookups write records of one size only: use writes: 0, or no small-record-bytes",
                    "workload.writes",
                    NamedWorkloads.KEY,
                    SMALL);
        }
    }

    private static TableSpec spec(Settings settings, int repeat) {
        return LookupSystems.spec(settings, repeat, TableKind.LINEAR);
    }

    @Override
    public Run deployment(Settings settings, NicProfile nic, int repeat) {
        if (settings.scheme().equals(TWO_SIDED.name())) {
            int threads = settings.isReal()
                    ? 1
                    : settings.section(LinearSettings.class).serverThreads();
            return new LookupDeployment(settings, nic, spec(settings, repeat), new Probing.TwoSided(threads), null);
        }
        ReadSizes sizes = ReadSizes.of(settings, nic);
        if (settings.workload().operation() == Settings.Operation.PREDICT) {
            return new PredictedReadSize(settings, sizes);
        }
        LinearSettings.Clusters clusters = settings.section(LinearSettings.Clusters.class);
        Probing probing = new Probing.Linear(
                sizes.readSlots(), clusters.track() ? sizes.model()::readSlots : null, clusters.count());
        return new LookupDeployment(settings, nic, spec(settings, repeat), probing, sizes);
    }
}

package org.reprobe.scheme;

import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.model.ReadSizeModel;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;

/** Read size of a linear-probing scheme, from the settings or chosen by the model with its assumed load factor. */
record ReadSizes(ReadSizeModel model, int readSlots) {

    /** Cache of models, which take milliseconds to build at high load factors; all repeats of a cell use one. */
    private static final Map<Key, ReadSizeModel> MODELS = new ConcurrentHashMap<>();

    private record Key(
            double loadFactor, Homes homes, int slotBytes, double tailCutoff, ReadSizeModel.Parameters parameters) {}

    private static double loadFactor(Settings settings) {
        return settings.section(LinearSettings.class).assumedLoadFactor().orElse(settings.loadFactor());
    }

    /** Reports a load factor above the maximum of the model. */
    static void checkLoadFactor(CellCheck cell) {
        double loadFactor = loadFactor(cell.settings());
        if (loadFactor > ProbeLengths.MAX_LOAD_FACTOR) {
            cell.reportProblem(
                    ("load factor %s: the read-size model takes at most %s; use a lower load-factor, or a"
                                    + " linear-probing.assumed-load-factor of at most %s for the model alone")
                            .formatted(loadFactor, ProbeLengths.MAX_LOAD_FACTOR, ProbeLengths.MAX_LOAD_FACTOR),
                    cell.settings()
                                    .section(LinearSettings.class)
                                    .assumedLoadFactor()
                                    .isPresent()
                            ? "linear-probing.assumed-load-factor"
                            : "load-factor");
        }
    }

    static ReadSizes of(Settings settings, NicProfile nic) {
        int slotBytes = slotBytes(settings);
        LinearSettings.Model assumed = settings.section(LinearSettings.Model.class);
        Key key = new Key(
                loadFactor(settings),
                assumed.homes(),
                slotBytes,
                assumed.tailCutoff().orElse(1),
                ReadSizeModel.Parameters.of(nic));
        ReadSizeModel model = MODELS.computeIfAbsent(
                key,
                k -> new ReadSizeModel(
                        k.parameters(), ProbeLengths.limit(k.loadFactor(), k.homes()), k.slotBytes(), k.tailCutoff()));
        return new ReadSizes(model, readSlots(settings, model, slotBytes));
    }

    static int slotBytes(Settings settings) {
        return settings.table().storage() == Storage.INLINE
                ? settings.table().recordBytes()
                : 1
                        + Math.max(
                                TableGeometry.OFFSET_BYTES,
                                settings.table().sizes().inlineBytes());
    }

    /** Returns the distance in slots from the start of the READ to the start of a known cluster; empty for no hint. */
    static OptionalInt hintDistance(Settings settings) {
        OptionalInt afterCluster = settings.section(LinearSettings.Model.class).hintDistance();
        return afterCluster.isPresent()
                        && settings.section(LinearSettings.Clusters.class).track()
                ? OptionalInt.of(-afterCluster.getAsInt())
                : OptionalInt.empty();
    }

    private static int readSlots(Settings settings, ReadSizeModel model, int slotBytes) {
        LinearSettings linear = settings.section(LinearSettings.class);
        if (linear.readSlots().isPresent()) {
            return linear.readSlots().getAsInt();
        }
        if (settings.scheme().equals(LinearProbingSystem.FIXED.name())) {
            return Math.max(1, linear.readBytes() / slotBytes);
        }
        OptionalInt hint = hintDistance(settings);
        if (hint.isPresent()) {
            int distance = hint.getAsInt();
            int clusterSlots = settings.section(LinearSettings.Model.class).hintSlots();
            boolean behind = -distance >= clusterSlots;
            return behind ? model.readSlots() : model.readSlots(distance, clusterSlots);
        }
        boolean constrained = settings.scheme().equals(LinearProbingSystem.VARIABLE.name());
        return constrained ? model.readSlots() : model.unconstrainedReadSlots();
    }

    /** Adds the read size and, without a hint, the cost and requests that the model expects for it. */
    void put(Map<String, Double> metrics, Settings settings) {
        metrics.put(Metrics.READ_SIZE, (double) readSlots);
        if (hintDistance(settings).isEmpty()) {
            metrics.put(Metrics.MODEL_COST, model.costNs(readSlots));
            metrics.put(Metrics.MODEL_REQUESTS, model.expectedRequests(readSlots));
        }
    }
}

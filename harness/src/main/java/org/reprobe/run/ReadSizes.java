package org.reprobe.run;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.model.ReadSizeModel;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.scenario.SchemeName;
import org.reprobe.scenario.Settings;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;

/**
 * The read size of a linear scheme: what the settings say, or what the model chooses.
 *
 * @param model the model as the client uses it: told the assumed load factor
 * @param readSlots slots that one READ fetches
 */
record ReadSizes(ReadSizeModel model, int readSlots) {

    /** A model costs milliseconds to set up at high loads and is the same for every repeat of a cell. */
    private static final Map<Key, ReadSizeModel> MODELS = new ConcurrentHashMap<>();

    private record Key(
            double loadFactor, Homes homes, int slotBytes, double tailCutoff, ReadSizeModel.Parameters parameters) {}

    static ReadSizes of(Settings settings, NicProfile nic) {
        int slotBytes = settings.table().storage() == Storage.INLINE
                ? settings.table().recordBytes()
                : 1 + TableGeometry.OFFSET_BYTES;
        Homes homes = switch (settings.model().homes()) {
            case RANDOM -> Homes.RANDOM;
            case EXISTING_KEYS -> Homes.EXISTING_KEYS;
        };
        Key key = new Key(
                settings.assumedLoadFactor().orElse(settings.loadFactor()),
                homes,
                slotBytes,
                settings.model().tailCutoff().cutoff(),
                ReadSizeModel.Parameters.of(nic));
        ReadSizeModel model = MODELS.computeIfAbsent(
                key,
                k -> new ReadSizeModel(
                        k.parameters(), ProbeLengths.limit(k.loadFactor(), k.homes()), k.slotBytes(), k.tailCutoff()));
        return new ReadSizes(model, readSlots(settings, model, slotBytes));
    }

    private static int readSlots(Settings settings, ReadSizeModel model, int slotBytes) {
        if (settings.readSlots().isPresent()) {
            return settings.readSlots().getAsInt();
        }
        if (settings.scheme() == SchemeName.LINEAR_FIXED) {
            return Math.max(1, settings.readBytes() / slotBytes);
        }
        if (settings.model().hintDistance().isPresent()) {
            int distance = settings.model().hintDistance().getAsInt();
            int clusterSlots = settings.model().hintSlots();
            boolean behind = -distance >= clusterSlots;
            return behind ? model.readSlots() : model.readSlots(distance, clusterSlots);
        }
        boolean constrained = settings.scheme() == SchemeName.LINEAR_VARIABLE;
        return constrained ? model.readSlots() : model.unconstrainedReadSlots();
    }
}

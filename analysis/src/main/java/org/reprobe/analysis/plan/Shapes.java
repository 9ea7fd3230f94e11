package org.reprobe.analysis.plan;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.model.CuckooThreshold;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.model.ReadSizeModel;
import org.reprobe.analysis.nic.NicProfile;

/** The table shapes that there can be. */
public final class Shapes {
    /** Records a slot and candidate slots of cuckoo tables, as in the linear-probing paper. */
    private static final int ASSOCIATIVITY = 4;

    private static final int HASHES = 3;

    /** FaRM's neighbourhood. */
    private static final int NEIGHBOURHOOD = 8;

    /** Beyond it chained tables were not counted and linear tables differ much from each other. */
    private static final double MAX_LOAD = 0.95;

    private static final double TAIL_CUTOFF = 0.99;

    /** Tables so close to the threshold take very long to build. */
    private static final double BELOW_THRESHOLD = 0.98;

    private static final int SLOT_OVERHEAD_BYTES = 5;
    private static final Map<Key, ReadSizeModel> MODELS = new ConcurrentHashMap<>();
    private static final double CUCKOO_LIMIT = BELOW_THRESHOLD * CuckooThreshold.loadFactor(HASHES, ASSOCIATIVITY);

    private record Key(double loadFactor, int slotBytes, ReadSizeModel.Parameters parameters) {}

    private Shapes() {}

    /**
     * The shape of a scheme at a load factor; null when there is none.
     *
     * @param fixedBytes of one READ of {@code linear-fixed}
     */
    public static @Nullable TableShape of(
            NicProfile nic, PlanScheme scheme, double loadFactor, boolean inline, int recordBytes, int fixedBytes) {
        if (!(loadFactor > 0 && loadFactor <= MAX_LOAD)) {
            return null;
        }
        int slotBytes = inline ? recordBytes : SLOT_OVERHEAD_BYTES;
        return switch (scheme) {
            case LINEAR_FIXED ->
                fixedBytes < slotBytes
                        ? null
                        : new TableShape(scheme, loadFactor, inline, recordBytes, fixedBytes / slotBytes, 1, 1, 1);
            case LINEAR_VARIABLE ->
                new TableShape(
                        scheme,
                        loadFactor,
                        inline,
                        recordBytes,
                        model(nic, loadFactor, slotBytes).readSlots(),
                        1,
                        1,
                        1);
            case LINEAR_VARIABLE_UNCONSTRAINED ->
                new TableShape(
                        scheme,
                        loadFactor,
                        inline,
                        recordBytes,
                        model(nic, loadFactor, slotBytes).unconstrainedReadSlots(),
                        1,
                        1,
                        1);
            case CUCKOO_SEQUENTIAL, CUCKOO_PARALLEL ->
                loadFactor > CUCKOO_LIMIT
                        ? null
                        : new TableShape(scheme, loadFactor, inline, recordBytes, 1, ASSOCIATIVITY, HASHES, 1);
            case HOPSCOTCH -> {
                int h = 0;
                for (int each : new int[] {32, 16, 8}) {
                    h = loadFactor <= HopscotchCounts.maxLoad(each) ? each : h;
                }
                yield h == 0 ? null : new TableShape(scheme, loadFactor, inline, recordBytes, 1, 1, 1, h);
            }
            case HOPSCOTCH_CHAINED -> new TableShape(scheme, loadFactor, inline, recordBytes, 1, 1, 1, NEIGHBOURHOOD);
        };
    }

    private static ReadSizeModel model(NicProfile nic, double loadFactor, int slotBytes) {
        return MODELS.computeIfAbsent(
                new Key(loadFactor, slotBytes, ReadSizeModel.Parameters.of(nic)),
                key -> new ReadSizeModel(
                        key.parameters(),
                        ProbeLengths.limit(key.loadFactor(), Homes.RANDOM),
                        key.slotBytes(),
                        TAIL_CUTOFF));
    }
}

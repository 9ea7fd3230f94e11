package org.reprobe.scheme;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.model.ReadSizeModel;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.system.Scheme;

/** Linear probing in capacity planning, with a few fixed read sizes or the model's (paper, section 3). */
record PlannedLinear(Scheme scheme) implements PlannedLookup {
    private static final int[] FIXED_BYTES = {128, 256, 512};
    private static final double TAIL_CUTOFF = 0.99;
    private static final Map<ModelKey, ReadSizeModel> MODELS = new ConcurrentHashMap<>();

    private record ModelKey(double loadFactor, int slotBytes, ReadSizeModel.Parameters parameters) {}

    boolean isFixed() {
        return scheme.equals(LinearProbingSystem.FIXED);
    }

    @Override
    public int readSizes() {
        return isFixed() ? FIXED_BYTES.length : 1;
    }

    @Override
    public @Nullable TableShape shape(
            NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize) {
        int slotBytes = LookupShape.slotBytes(inline, recordBytes, 1);
        int readSlots = isFixed()
                ? FIXED_BYTES[readSize] / slotBytes
                : scheme.equals(LinearProbingSystem.VARIABLE)
                        ? model(nic, loadFactor, slotBytes).readSlots()
                        : model(nic, loadFactor, slotBytes).unconstrainedReadSlots();
        return readSlots == 0 ? null : new LinearShape(this, loadFactor, inline, recordBytes, readSlots);
    }

    private static ReadSizeModel model(NicProfile nic, double loadFactor, int slotBytes) {
        return MODELS.computeIfAbsent(
                new ModelKey(loadFactor, slotBytes, ReadSizeModel.Parameters.of(nic)),
                key -> new ReadSizeModel(
                        key.parameters(),
                        ProbeLengths.limit(key.loadFactor(), Homes.RANDOM),
                        key.slotBytes(),
                        TAIL_CUTOFF));
    }
}

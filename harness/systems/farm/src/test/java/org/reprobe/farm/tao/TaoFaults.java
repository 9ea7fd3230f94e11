package org.reprobe.farm.tao;

import org.reprobe.testing.SeededFaults;

/** Faults of lists of edges. */
public final class TaoFaults {
    private TaoFaults() {}

    /** A former head keeps its incarnation. */
    public static SeededFaults incarnationKept() {
        return new SeededFaults("org.reprobe.farm.")
                .replacing("tao.EdgeAdds", "slot.headIncarnation + 1);", "slot.headIncarnation);")
                .without("tao.EdgeAdds", "slot.transaction.renew(head);");
    }
}

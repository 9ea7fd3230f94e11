package org.reprobe.farm;

import org.reprobe.testing.SeededFaults;

/** Faults of lists of edges. */
public final class TaoFaults {
    private TaoFaults() {}

    /** A head that is one no longer keeps its incarnation. */
    public static SeededFaults incarnationKept() {
        return new SeededFaults("org.reprobe.farm.")
                .replacing("EdgeAdds", "slot.headIncarnation + 1);", "slot.headIncarnation);")
                .without("EdgeAdds", "slot.transaction.renew(head);");
    }
}

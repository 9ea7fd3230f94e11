package org.reprobe.analysis.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** One way to lay records out and to look them up. Implementations are records: two that say the same are equal. */
public interface TableShape {

    PlannedScheme scheme();

    /** Occupied share of the table's places. */
    double loadFactor();

    /** Whether records stand in the slots, or in a heap behind them. */
    boolean inline();

    /** Key and value. */
    int recordBytes();

    /** Bytes of the READ that a lookup begins with. */
    int readBytes();

    /** READs of the table begin at multiples of so many bytes. */
    int unitBytes();

    /** Bytes of the table alone for each record. */
    double tableBytesPerRecord();

    /** Bytes of table and heap for each record. */
    double bytesPerRecord();

    /** What a lookup asks of the network. */
    LookupDemand demand();

    /**
     * Rounds of a client that makes one lookup at a time and so has room for {@link LookupDemand#firstReads} READs only.
     *
     * @return P[it takes i + 1 rounds]; sums to 1
     */
    default double[] roundsAlone() {
        return demand().rounds();
    }

    /** The same at another load factor, above 0 and up to {@link Planner#MAX_LOAD}; null when there is none. */
    default @Nullable TableShape at(NicProfile nic, double otherLoadFactor) {
        return scheme().shape(nic, otherLoadFactor, inline(), recordBytes(), 0);
    }

    /** The scheme's own keys of a scenario that has such a table, by dotted name. */
    default Map<String, Object> settings() {
        return Map.of();
    }

    /** What goes beyond what is known of such tables: sentences. */
    default List<String> warnings() {
        return List.of();
    }

    /** {@code linear-variable, load 0.80, inline, READs of 184 bytes}. */
    default String label() {
        return "%s, load %.2f, %s, READs of %d bytes"
                .formatted(scheme().key(), loadFactor(), inline() ? "inline" : "heap", readBytes());
    }
}

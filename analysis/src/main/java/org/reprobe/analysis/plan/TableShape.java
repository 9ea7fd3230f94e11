package org.reprobe.analysis.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** Layout of records and lookup method. Implementations are records with value equality. */
public interface TableShape {

    PlannedScheme scheme();

    double loadFactor();

    /** Returns true for records in the slots, false for a heap. */
    boolean inline();

    int recordBytes();

    /** Returns the bytes of a lookup's first READ. */
    int readBytes();

    /** Returns the alignment of READs of the table, in bytes. */
    int unitBytes();

    double tableBytesPerRecord();

    /** Returns the bytes of table and heap per record. */
    double bytesPerRecord();

    LookupDemand demand();

    /** Returns P[i + 1 rounds] of a client with room for {@link LookupDemand#firstReads} READs of one lookup only. */
    default double[] roundsAlone() {
        return demand().rounds();
    }

    /** Returns the shape at another load factor, above 0 and up to {@link Planner#MAX_LOAD}; null if there is none. */
    default @Nullable TableShape at(NicProfile nic, double otherLoadFactor) {
        return scheme().shape(nic, otherLoadFactor, inline(), recordBytes(), 0);
    }

    /** Returns the scheme's own keys of a scenario with such a table, by dotted name. */
    default Map<String, Object> settings() {
        return Map.of();
    }

    /** Returns warnings about tables outside the verified range, as sentences. */
    default List<String> warnings() {
        return List.of();
    }

    /** Returns {@code Variable-sized Linear Probing, load 0.80, inline, READs of 184 bytes}. */
    default String title() {
        return "%s, load %.2f, %s, READs of %d bytes"
                .formatted(scheme().title(), loadFactor(), inline() ? "inline" : "heap", readBytes());
    }

    /** Returns {@code linear-variable, load 0.80, inline, READs of 184 bytes}. */
    default String label() {
        return "%s, load %.2f, %s, READs of %d bytes"
                .formatted(scheme().key(), loadFactor(), inline() ? "inline" : "heap", readBytes());
    }
}

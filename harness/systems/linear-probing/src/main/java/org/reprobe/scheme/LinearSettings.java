package org.reprobe.scheme;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.model.Homes;

/**
 * Linear probing.
 *
 * @param assumedLoadFactor empty for the real one
 * @param readSlots empty for what the scheme itself would read
 */
@Section(name = "linear-probing", meaning = "Schemes linear-*: what one READ fetches.")
public record LinearSettings(
        @Key(formerly = "assumed-load-factor", byDefault = "real", above = 0, below = 1, or = "real", meaning = """
                What the read-size model is told; real for load-factor itself.""")
        OptionalDouble assumedLoadFactor,

        @Key(
                formerly = "read-bytes",
                byDefault = "256",
                min = 5,
                max = 1 << 30,
                meaning = "Bytes of one READ of linear-fixed.")
        int readBytes,

        @Key(formerly = "read-slots", byDefault = "by-scheme", min = 1, max = 1 << 26, or = "by-scheme", meaning = """
                Slots of one READ of any linear scheme; by-scheme for what the scheme itself would read.""")
        OptionalInt readSlots) {

    /**
     * What the read-size model assumes.
     *
     * @param tailCutoff empty for sums to the end
     * @param hintDistance slots from a known cluster's start to the read's start (the x axis of Fig. 13); empty for no hint
     */
    @Section(name = "model", meaning = "The read-size model of the linear-probing paper, section 3.")
    public record Model(
            @Key(byDefault = "0.99", min = 0.5, max = 1, or = "exact", meaning = """
                    The sum of E[X(R)] stops at the first i with C_iR at least this; 0.99 gives the paper's read sizes, exact \
                    sums to the end.""")
            OptionalDouble tailCutoff,

            @Key(byDefault = "random", meaning = """
                    Whose home slots the model assumes: random slots as in the paper, or those of existing keys, which lean
                    towards long clusters.""") Homes homes,

            @Key(byDefault = "none", min = -(1 << 20), max = 1 << 20, or = "none", meaning = """
                    predict: where the read starts, in slots after the start of a known cluster: -30 is 30 slots before it \
                    (the x axis of Fig. 13). Counts only with clusters.track: true; none for no hint.""")
            OptionalInt hintDistance,

            @Key(byDefault = "10", min = 1, max = 1 << 20, meaning = "predict: the known cluster's length in slots.")
            int hintSlots) {}

    /** Cluster tracking. */
    @Section(
            name = "clusters",
            meaning = "Cluster tracking (section 4.4), for linear-variable and linear-variable-unconstrained.")
    public record Clusters(
            @Key(
                    byDefault = "false",
                    meaning = "Whether each client remembers the largest clusters it has met and reads by them.")
            boolean track,

            @Key(byDefault = "1000", min = 1, max = 1 << 20, meaning = "How many clusters a client remembers.")
            int count) {}
}

package org.reprobe.scheme;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.model.Homes;

/** Keys of section {@code linear-probing}; empty values are for the actual load factor and the scheme's read size. */
@Section(name = "linear-probing", meaning = "Schemes linear-*: size of READs, and the server's threads.")
public record LinearSettings(
        @Key(formerly = "assumed-load-factor", byDefault = "real", above = 0, below = 1, or = "real", meaning = """
                Load factor assumed by the read-size model; real for the value of load-factor.""")
        OptionalDouble assumedLoadFactor,

        @Key(
                formerly = "read-bytes",
                byDefault = "256",
                min = 5,
                max = 1 << 30,
                meaning = "Bytes of one READ of linear-fixed.")
        int readBytes,

        @Key(formerly = "read-slots", byDefault = "by-scheme", min = 1, max = 1 << 26, or = "by-scheme", meaning = """
                Slots of one READ of any linear scheme; by-scheme for the scheme's own choice.""")
        OptionalInt readSlots,

        @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                sim, linear-two-sided: threads of the server; clients are distributed over them. One on other fabrics.""")
        int serverThreads) {

    /**
     * Assumptions of the read-size model.
     *
     * @param tailCutoff empty for sums to the end
     * @param hintDistance slots from the start of a known cluster to the start of the READ (x axis of Fig. 13); empty
     *     for no hint
     */
    @Section(name = "model", meaning = "The read-size model of the linear-probing paper, section 3.")
    public record Model(
            @Key(byDefault = "0.99", min = 0.5, max = 1, or = "exact", meaning = """
                    The sum of E[X(R)] stops at the first i with C_iR at least this; 0.99 gives the paper's read sizes, exact \
                    sums to the end.""")
            OptionalDouble tailCutoff,

            @Key(byDefault = "random", meaning = """
                    Home slots assumed by the model: random slots as in the paper, or those of existing keys, which are biased \
                    towards long clusters.""") Homes homes,

            @Key(byDefault = "none", min = -(1 << 20), max = 1 << 20, or = "none", meaning = """
                    predict: first slot of the READ relative to the start of a known cluster; -30 is 30 slots before it (the x \
                    axis of Fig. 13). Requires clusters.track: true; none for no hint.""")
            OptionalInt hintDistance,

            @Key(byDefault = "10", min = 1, max = 1 << 20, meaning = "predict: the known cluster's length in slots.")
            int hintSlots) {}

    /** Keys of section {@code clusters}. */
    @Section(
            name = "clusters",
            meaning = "Cluster tracking (section 4.4), for linear-variable and linear-variable-unconstrained.")
    public record Clusters(
            @Key(
                    byDefault = "false",
                    meaning =
                            "True if each client records the largest clusters that it has read, and chooses read sizes by them.")
            boolean track,

            @Key(byDefault = "1000", min = 1, max = 1 << 20, meaning = "Number of clusters recorded by a client.")
            int count) {}
}

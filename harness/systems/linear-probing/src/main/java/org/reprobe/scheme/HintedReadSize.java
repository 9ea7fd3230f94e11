package org.reprobe.scheme;

/** Read size that the model chooses when the next cluster is known (linear-probing paper, Eq. 10). */
@FunctionalInterface
public interface HintedReadSize {
    /**
     * Returns the number of slots that the next READ fetches, at least 1.
     *
     * @param distance slots from the first slot to be read to the cluster's start; negative inside the cluster
     */
    int readSlots(long distance, long clusterSlots);
}

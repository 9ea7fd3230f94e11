package org.reprobe.scheme;

/** The read size that the model chooses when it knows of a cluster ahead (linear-probing paper, Eq. 10). */
@FunctionalInterface
public interface HintedReadSize {
    /**
     * How many slots the next READ should fetch.
     *
     * @param distance slots from the first slot to be read to the cluster's start; negative inside the cluster
     * @param clusterSlots the cluster's length
     * @return at least 1
     */
    int readSlots(long distance, long clusterSlots);
}

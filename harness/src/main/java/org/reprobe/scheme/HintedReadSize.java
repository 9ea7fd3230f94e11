package org.reprobe.scheme;

/** The read size that the model chooses when it knows of a cluster ahead (linear-probing paper, Eq. 10). */
@FunctionalInterface
public interface HintedReadSize {
    /**
     * @param distance slots from the first slot to be read to the cluster's start; negative inside the cluster
     * @param clusterSlots the cluster's length
     * @return how many slots to read
     */
    int readSlots(long distance, long clusterSlots);
}

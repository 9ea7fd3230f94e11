package org.reprobe.farm.tao;

import org.reprobe.workload.Rng;

/**
 * Nodes of up to 200 bytes of data, with two lists of up to {@code mostEdges} edges of up to 40 bytes; some lists are
 * empty.
 */
record SmallGraph(int mostEdges) implements GraphShape {
    @Override
    public int types() {
        return 2;
    }

    @Override
    public long edges(long bits, int type) {
        return Math.max(0, Math.unsignedMultiplyHigh(Rng.at(bits, type), mostEdges + 5) - 4);
    }

    @Override
    public int nodeBytes(long bits) {
        return (int) Math.unsignedMultiplyHigh(bits, maxNodeBytes() + 1);
    }

    @Override
    public int edgeBytes(long bits) {
        return (int) Math.unsignedMultiplyHigh(bits, maxEdgeBytes() + 1);
    }

    @Override
    public int maxNodeBytes() {
        return 200;
    }

    @Override
    public int maxEdgeBytes() {
        return 40;
    }
}

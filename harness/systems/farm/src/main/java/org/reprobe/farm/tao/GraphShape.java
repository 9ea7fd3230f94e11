package org.reprobe.farm.tao;

/** Distribution of out-degrees and data sizes of a loaded graph. */
public interface GraphShape {
    int types();

    /** Returns the out-degree of a node for one type, drawn by random bits. */
    long edges(long bits, int type);

    /** Returns the bytes of a node's data, drawn by random bits. */
    int nodeBytes(long bits);

    /** Returns the bytes of an edge's data, drawn by random bits; at most 255, the maximum of its length byte. */
    int edgeBytes(long bits);

    int maxNodeBytes();

    int maxEdgeBytes();
}

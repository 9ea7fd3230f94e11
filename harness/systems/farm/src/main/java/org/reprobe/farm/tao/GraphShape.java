package org.reprobe.farm.tao;

/** What a graph is like that is loaded: how many edges its nodes have, and how much data nodes and edges. */
public interface GraphShape {
    /** Types of edges. */
    int types();

    /** Edges of a type that a node has, whose out-degree random bits decide. */
    long edges(long bits, int type);

    /** Bytes of a node's data, which random bits decide. */
    int nodeBytes(long bits);

    /** The same of an edge's; 255 at most, so that a byte tells. */
    int edgeBytes(long bits);

    /** The most bytes of a node's data. */
    int maxNodeBytes();

    /** The most bytes of an edge's data. */
    int maxEdgeBytes();
}

package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.table.BucketLayout;

/**
 * What Tao's objects hold (FaRM 2014, section 4.4). A node: how many bytes of data it has, of each type of edges a fat pointer to the list's head and
 * how many there are, and its data. A block of a list: a fat pointer to the next one, how many edges it has and how many bytes they take, and the edges, the newest
 * first. An edge: the fat pointer of the node that it leads to, its time, and data behind a byte that tells its length, in whole words. How many
 * edges a block has room for is not printed.
 *
 * <p>An edge's time is its number in its list, from 1, above 32 bits that tell who added it; so edges are in the reverse order of their times.
 *
 * @param types of edges
 * @param blockPayloadBytes whole words
 * @param bothEnds as for {@link ObjectLayout}
 */
public record TaoLayout(int types, int blockPayloadBytes, boolean bothEnds) {
    /** Above who added it. */
    static final int NUMBER_SHIFT = 32;

    static final int POINTER_BYTES = BucketLayout.FAT_POINTER_BYTES;
    static final int EDGE_HEADER_BYTES = POINTER_BYTES + Long.BYTES;

    /** Where in a block's payload edges are. */
    public static final int EDGES_AT = POINTER_BYTES + Long.BYTES;

    private static final int LIST_BYTES = POINTER_BYTES + Long.BYTES;
    private static final int BYTE_BITS = 0xFF;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** One whose blocks are the largest objects of at most so many bytes. */
    public static TaoLayout of(int types, int blockBytes, boolean bothEnds) {
        int payload = blockBytes / Long.BYTES * Long.BYTES;
        while (payload > 0 && ObjectLayout.inSizeClass(payload, bothEnds).bytes() > blockBytes) {
            payload -= Long.BYTES;
        }
        return new TaoLayout(types, payload, bothEnds);
    }

    ObjectLayout block() {
        return ObjectLayout.inSizeClass(blockPayloadBytes, bothEnds);
    }

    /** Bytes of the payload of a node with so much data. */
    int nodePayloadBytes(int dataBytes) {
        return words(dataAt() + dataBytes);
    }

    /** A node whose payload has so many bytes, in whole words. */
    ObjectLayout node(int payloadBytes) {
        return ObjectLayout.inSizeClass(payloadBytes, bothEnds);
    }

    /** Bytes of the largest payload of a graph's nodes. */
    int maxNodePayloadBytes(GraphShape shape) {
        return nodePayloadBytes(shape.maxNodeBytes());
    }

    /** Bytes of a graph's largest object. */
    int maxObjectBytes(GraphShape shape) {
        return Math.max(block().bytes(), node(maxNodePayloadBytes(shape)).bytes());
    }

    /** Whether a block has room for any edge of a graph. */
    public boolean hasRoom(GraphShape shape) {
        return edgeBytes(shape.maxEdgeBytes()) <= roomBytes();
    }

    private static int words(int bytes) {
        return (bytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    }

    /** Where in a node's payload its data is. */
    int dataAt() {
        return Long.BYTES + types * LIST_BYTES;
    }

    static int dataBytes(MemorySegment node) {
        return (int) node.get(LONG, 0);
    }

    static void setDataBytes(MemorySegment node, int bytes) {
        node.set(LONG, 0, bytes);
    }

    /** Where in a node's payload the pointer to a list's head is. */
    static int headAt(int type) {
        return Long.BYTES + type * LIST_BYTES;
    }

    static long count(MemorySegment node, int type) {
        return node.get(LONG, headAt(type) + POINTER_BYTES);
    }

    static void setCount(MemorySegment node, int type, long count) {
        node.set(LONG, headAt(type) + POINTER_BYTES, count);
    }

    /** Edges of a block. */
    static int edges(MemorySegment block) {
        return block.get(INT, POINTER_BYTES);
    }

    /** Bytes of its edges. */
    static int usedBytes(MemorySegment block) {
        return block.get(INT, POINTER_BYTES + Integer.BYTES);
    }

    static void setEdges(MemorySegment block, int edges, int usedBytes) {
        block.set(INT, POINTER_BYTES, edges);
        block.set(INT, POINTER_BYTES + Integer.BYTES, usedBytes);
    }

    /** Bytes that a block's edges may take. */
    int roomBytes() {
        return blockPayloadBytes - EDGES_AT;
    }

    /** Bytes of an edge with so much data. */
    public static int edgeBytes(int dataBytes) {
        return words(EDGE_HEADER_BYTES + 1 + dataBytes);
    }

    static long time(MemorySegment from, long edge) {
        return from.get(LONG, edge + POINTER_BYTES);
    }

    /** The number of an edge in its list, of its time. */
    static long number(long time) {
        return time >>> NUMBER_SHIFT;
    }

    static long destination(MemorySegment from, long edge) {
        return from.get(LONG, edge);
    }

    /** Bytes of the edge that stands somewhere. */
    static int bytesAt(MemorySegment from, long edge) {
        return edgeBytes(from.get(ValueLayout.JAVA_BYTE, edge + EDGE_HEADER_BYTES) & BYTE_BITS);
    }

    /** Puts an edge before those of a block that has room for it. */
    void addEdge(MemorySegment block, long destination, long time, int dataBytes, long mark) {
        int bytes = edgeBytes(dataBytes);
        int used = usedBytes(block);
        MemorySegment.copy(block, EDGES_AT, block, EDGES_AT + bytes, used);
        putEdge(block, EDGES_AT, destination, time, dataBytes, mark);
        setEdges(block, edges(block) + 1, used + bytes);
    }

    private static void putEdge(MemorySegment to, long at, long destination, long time, int dataBytes, long mark) {
        BucketLayout.putPointer(to, (int) at, destination, TaoGraph.NODE_INCARNATION);
        to.set(LONG, at + POINTER_BYTES, time);
        to.set(ValueLayout.JAVA_BYTE, at + EDGE_HEADER_BYTES, (byte) dataBytes);
        putData(to, at + EDGE_HEADER_BYTES + 1, dataBytes, mark);
    }

    /** Data that a mark tells: its bytes again and again. */
    static void putData(MemorySegment to, long at, int bytes, long mark) {
        for (int i = 0; i < bytes; i++) {
            to.set(ValueLayout.JAVA_BYTE, at + i, markByte(mark, i));
        }
    }

    static boolean isData(MemorySegment from, long at, int bytes, long mark) {
        for (int i = 0; i < bytes; i++) {
            if (from.get(ValueLayout.JAVA_BYTE, at + i) != markByte(mark, i)) {
                return false;
            }
        }
        return true;
    }

    private static byte markByte(long mark, int i) {
        return (byte) (mark >>> (i % Long.BYTES * Byte.SIZE));
    }

    /** Whether an edge is the one with these. */
    static boolean isEdge(MemorySegment from, long at, long destination, int dataBytes, long mark) {
        return from.get(LONG, at) == destination
                && BucketLayout.incarnation(from, (int) at) == TaoGraph.NODE_INCARNATION
                && (from.get(ValueLayout.JAVA_BYTE, at + EDGE_HEADER_BYTES) & BYTE_BITS) == dataBytes
                && isData(from, at + EDGE_HEADER_BYTES + 1, dataBytes, mark);
    }
}

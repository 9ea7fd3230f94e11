package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.table.BucketLayout;

/**
 * Layout of Tao's objects (FaRM 2014, section 4.4). Node: length of its data; per edge type a fat pointer to the list's
 * head and the number of edges; data. Block of a list: fat pointer to the next block, number and bytes of its edges,
 * and the edges, newest first. Edge: fat pointer to its destination, time, a byte with the length of its data, and
 * data, padded to words. The paper does not print the capacity of a block, here a multiple of 8 bytes.
 *
 * <p>An edge's time is its number in its list, from 1, above 32 bits that identify its writer. So edges are in
 * descending order of time.
 */
public record TaoLayout(int types, int blockPayloadBytes, boolean bothEnds) {
    /** Position of an edge's number in its time, above the writer. */
    static final int NUMBER_SHIFT = 32;

    static final int POINTER_BYTES = BucketLayout.FAT_POINTER_BYTES;
    static final int EDGE_HEADER_BYTES = POINTER_BYTES + Long.BYTES;

    public static final int EDGES_AT = POINTER_BYTES + Long.BYTES;

    private static final int LIST_BYTES = POINTER_BYTES + Long.BYTES;
    private static final int BYTE_BITS = 0xFF;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Returns the layout whose blocks are the largest objects of at most {@code blockBytes}. */
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

    int nodePayloadBytes(int dataBytes) {
        return words(dataAt() + dataBytes);
    }

    ObjectLayout node(int payloadBytes) {
        return ObjectLayout.inSizeClass(payloadBytes, bothEnds);
    }

    int maxNodePayloadBytes(GraphShape shape) {
        return nodePayloadBytes(shape.maxNodeBytes());
    }

    int maxObjectBytes(GraphShape shape) {
        return Math.max(block().bytes(), node(maxNodePayloadBytes(shape)).bytes());
    }

    /** Returns true if a block can hold any edge of a graph. */
    public boolean hasRoom(GraphShape shape) {
        return edgeBytes(shape.maxEdgeBytes()) <= roomBytes();
    }

    private static int words(int bytes) {
        return (bytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    }

    int dataAt() {
        return Long.BYTES + types * LIST_BYTES;
    }

    static int dataBytes(MemorySegment node) {
        return (int) node.get(LONG, 0);
    }

    static void setDataBytes(MemorySegment node, int bytes) {
        node.set(LONG, 0, bytes);
    }

    static int headAt(int type) {
        return Long.BYTES + type * LIST_BYTES;
    }

    static long count(MemorySegment node, int type) {
        return node.get(LONG, headAt(type) + POINTER_BYTES);
    }

    static void setCount(MemorySegment node, int type, long count) {
        node.set(LONG, headAt(type) + POINTER_BYTES, count);
    }

    static int edges(MemorySegment block) {
        return block.get(INT, POINTER_BYTES);
    }

    static int usedBytes(MemorySegment block) {
        return block.get(INT, POINTER_BYTES + Integer.BYTES);
    }

    static void setEdges(MemorySegment block, int edges, int usedBytes) {
        block.set(INT, POINTER_BYTES, edges);
        block.set(INT, POINTER_BYTES + Integer.BYTES, usedBytes);
    }

    int roomBytes() {
        return blockPayloadBytes - EDGES_AT;
    }

    public static int edgeBytes(int dataBytes) {
        return words(EDGE_HEADER_BYTES + 1 + dataBytes);
    }

    static long time(MemorySegment from, long edge) {
        return from.get(LONG, edge + POINTER_BYTES);
    }

    static long number(long time) {
        return time >>> NUMBER_SHIFT;
    }

    static long destination(MemorySegment from, long edge) {
        return from.get(LONG, edge);
    }

    static int bytesAt(MemorySegment from, long edge) {
        return edgeBytes(from.get(ValueLayout.JAVA_BYTE, edge + EDGE_HEADER_BYTES) & BYTE_BITS);
    }

    /** Inserts an edge before the others of a block, which must have room. */
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

    /** Fills data with the repeated bytes of a mark. */
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

    static boolean isEdge(MemorySegment from, long at, long destination, int dataBytes, long mark) {
        return from.get(LONG, at) == destination
                && BucketLayout.incarnation(from, (int) at) == TaoGraph.NODE_INCARNATION
                && (from.get(ValueLayout.JAVA_BYTE, at + EDGE_HEADER_BYTES) & BYTE_BITS) == dataBytes
                && isData(from, at + EDGE_HEADER_BYTES + 1, dataBytes, mark);
    }
}

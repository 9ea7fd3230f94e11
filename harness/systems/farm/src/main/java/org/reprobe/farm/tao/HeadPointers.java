package org.reprobe.farm.tao;

import java.util.Arrays;
import org.reprobe.farm.memory.WordMap;

/** Cache of a thread for pointers to list heads (FaRM 2014, section 4.4): loaded or fetched. Single-threaded. */
final class HeadPointers {
    private static final int FIRST_ROOM = 16;

    private final TaoGraph graph;
    private final WordMap places = new WordMap();

    private long[] addresses = new long[FIRST_ROOM];
    private long[] incarnations = new long[FIRST_ROOM];
    private int count;

    HeadPointers(TaoGraph graph) {
        this.graph = graph;
    }

    /** Returns the head's incarnation; 0 for a list that had no edges. */
    long incarnation(long list) {
        long place = places.get(list);
        return place != WordMap.NONE
                ? incarnations[(int) place]
                : graph.loadedHead(list) == 0 ? 0 : TaoGraph.BLOCK_INCARNATION;
    }

    long address(long list) {
        long place = places.get(list);
        return place != WordMap.NONE ? addresses[(int) place] : graph.loadedHead(list);
    }

    void put(long list, long address, long incarnation) {
        long place = places.get(list);
        if (place == WordMap.NONE) {
            place = count++;
            if (place == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * addresses.length);
                incarnations = Arrays.copyOf(incarnations, 2 * incarnations.length);
            }
            places.put(list, place);
        }
        addresses[(int) place] = address;
        incarnations[(int) place] = incarnation;
    }
}

package org.reprobe.farm.tao;

import java.util.Arrays;
import org.reprobe.farm.memory.WordMap;

/**
 * The pointers to the heads of lists that a thread has cached (FaRM 2014, section 4.4): those that were loaded, which it knows, and those that it has
 * fetched since. For one thread.
 */
final class HeadPointers {
    private static final int FIRST_ROOM = 16;

    private final TaoGraph graph;
    /** Which of the fetched ones is a list's. */
    private final WordMap places = new WordMap();

    private long[] addresses = new long[FIRST_ROOM];
    private long[] incarnations = new long[FIRST_ROOM];
    private int count;

    HeadPointers(TaoGraph graph) {
        this.graph = graph;
    }

    /** 0 for a list that had no edges. */
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

    /** Another one was fetched. */
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

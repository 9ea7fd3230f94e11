package org.reprobe.findorput;

import java.util.concurrent.ConcurrentHashMap;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.model.ReadSizeModel;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Cheapest C of find-or-put for each load factor, by the read-size model (linear-probing paper, Eq. 1, 3 and 4, summed
 * exactly). As in the model, the home of a datum is a random bucket, and a search ends at the first empty one. There
 * are two differences. The constant c is a whole round trip, because a process has no other requests in flight. Each
 * bucket counts as two transfers, because the next chunk is always in flight, too.
 */
final class ChunkModel {
    /** "To optimally use cache line alignment we choose C to be a multiple of 8" (find-or-put paper, section 3.1). */
    private static final int LINE_BUCKETS = 8;

    private static final int MAX_BUCKETS = 128;
    private static final int CARRIED_BYTES = 2 * Long.BYTES;

    private static final ConcurrentHashMap<ReadSizeModel.Parameters, int[]> KNOWN = new ConcurrentHashMap<>();

    private ChunkModel() {}

    /** Returns C for load factors of 0, 1 %, ... 99 %. */
    static int[] bucketsByPercent(NicProfile nic) {
        ReadSizeModel.Parameters ofCard = ReadSizeModel.Parameters.of(nic);
        ReadSizeModel.Parameters whole = new ReadSizeModel.Parameters(
                nic.requester().roundTripNs(),
                ofCard.linkNsPerByte() + nic.responder().payloadNsPerByte(),
                ofCard.peakMessagesPerSecond(),
                ofCard.headerBytes());
        return KNOWN.computeIfAbsent(whole, ChunkModel::byPercent);
    }

    private static int[] byPercent(ReadSizeModel.Parameters parameters) {
        int[] buckets = new int[AdaptiveChunks.LOADS];
        buckets[0] = LINE_BUCKETS;
        for (int percent = 1; percent < buckets.length; percent++) {
            ProbeLengths lengths = ProbeLengths.limit(percent / (double) AdaptiveChunks.LOADS, Homes.RANDOM);
            ReadSizeModel model = new ReadSizeModel(parameters, lengths, CARRIED_BYTES, 1);
            int best = LINE_BUCKETS;
            for (int c = LINE_BUCKETS; c <= MAX_BUCKETS; c += LINE_BUCKETS) {
                if (model.costNs(c) < model.costNs(best)) {
                    best = c;
                }
            }
            buckets[percent] = best;
        }
        return buckets;
    }
}

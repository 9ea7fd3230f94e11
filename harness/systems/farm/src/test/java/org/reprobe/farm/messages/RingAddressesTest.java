package org.reprobe.farm.messages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.farm.memory.MemoryMap;

class RingAddressesTest {

    /** A frame is the message in whole words between two words; half the ring must hold it. */
    @Test
    void aRingIsOfPairsOfWordsAndTwiceItsLongestFrame() {
        for (int ringBytes = 48; ringBytes < 400; ringBytes += Long.BYTES) {
            int longest = 0;
            for (int bytes = 1; bytes < 200; bytes++) {
                int frame = 2 * Long.BYTES + (bytes + 7) / 8 * 8;
                String problem = RingLayout.problem(ringBytes, bytes);
                if (ringBytes % 16 != 0) {
                    assertThat(problem).contains(ringBytes + " bytes", "multiple of 16");
                } else if (2 * frame > ringBytes) {
                    assertThat(problem)
                            .contains(ringBytes + " bytes", "messages of " + bytes, "take " + frame, ", " + 2 * frame);
                } else {
                    assertThat(problem).isNull();
                    longest = bytes;
                }
            }
            if (ringBytes % 16 == 0) {
                assertThat(new RingLayout(ringBytes).maxMessageBytes()).isEqualTo(longest);
            }
        }
    }

    private record Extent(long from, long bytes) {}

    @ParameterizedTest
    @CsvSource({"48, 2, 1, 0", "176, 3, 4, 120", "4096, 5, 2, 1024"})
    void placesAreApartAndWithinTheirBytes(int ringBytes, int machines, int threads, long from) {
        MemoryMap map = new MemoryMap(threads);
        map.words(from);
        RingAddresses places = RingAddresses.in(map, new RingLayout(ringBytes), machines);
        List<Extent> all = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            for (int other = 0; other < machines; other++) {
                all.add(new Extent(places.ringAt(thread, other), ringBytes * 3L / 2));
                all.add(new Extent(places.copyAt(thread, other), ringBytes * 3L / 2));
                all.add(new Extent(places.headAt(thread, other), Long.BYTES));
                all.add(new Extent(places.publishedHeadAt(thread, other), Long.BYTES));
                // The remote machine WRITEs the head and this thread sends its own: both need separate lines.
                assertThat(places.headAt(thread, other) % 64).isZero();
                assertThat(places.publishedHeadAt(thread, other) % 64).isZero();
            }
        }
        all.sort(Comparator.comparingLong(Extent::from));
        long end = from;
        for (Extent each : all) {
            assertThat(each.from()).isGreaterThanOrEqualTo(end);
            assertThat(each.from() % Long.BYTES).isZero();
            end = each.from() + each.bytes();
        }
        assertThat(end).isLessThanOrEqualTo(map.bytes());
    }
}

package org.example.robinhood;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.LookupDemand;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.analysis.plan.TableShape;

/** Robin Hood tables in capacity planning: size, and READs per lookup of an existing key. */
record PlannedRobinHood(String key, String title) implements PlannedScheme {
    private static final int[] READ_SLOTS = {1, 4, 16};

    @Override
    public int readSizes() {
        return READ_SLOTS.length;
    }

    /** {@inheritDoc} A client has one READ in flight. */
    @Override
    public int maxSendQueue() {
        return 1;
    }

    @Override
    public @Nullable TableShape shape(
            NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize) {
        return inline && recordBytes == RobinHoodTable.SLOT_BYTES
                ? new Shape(this, loadFactor, READ_SLOTS[readSize])
                : null;
    }

    /** Table with a number of slots per READ. */
    record Shape(PlannedRobinHood scheme, double loadFactor, int readSlots) implements TableShape {
        /** Neglected share of keys, those farthest from home. */
        private static final double LEFT_OUT = 1e-7;

        @Override
        public boolean inline() {
            return true;
        }

        @Override
        public int recordBytes() {
            return RobinHoodTable.SLOT_BYTES;
        }

        @Override
        public int readBytes() {
            return readSlots * RobinHoodTable.SLOT_BYTES;
        }

        @Override
        public int unitBytes() {
            return RobinHoodTable.SLOT_BYTES;
        }

        @Override
        public double tableBytesPerRecord() {
            return RobinHoodTable.SLOT_BYTES / loadFactor;
        }

        @Override
        public double bytesPerRecord() {
            return tableBytesPerRecord();
        }

        @Override
        public LookupDemand demand() {
            double[] distances = distances();
            double[] rounds = new double[(distances.length - 1) / readSlots + 1];
            double slots = 1;
            double reads = 0;
            for (int distance = 0; distance < distances.length; distance++) {
                rounds[distance / readSlots] += distances[distance];
                slots += distance * distances[distance];
            }
            for (int i = 0; i < rounds.length; i++) {
                reads += (i + 1) * rounds[i];
            }
            return new LookupDemand(1, readBytes(), reads, 1, readBytes(), 0, 0, slots, rounds);
        }

        /**
         * Returns the distribution of a key's distance from home. The number of records that overflow from one home to the next
         * has the distribution w of an M/D/1 queue: w(j + 1) P[N = 0] = sum of w(i) P[N &gt; j + 1 - i] over i from 0 to j, with
         * Poisson N. Records are in the order of their homes, after those that overflow, so a key is at distance d &gt; 0 with
         * probability w(d) / load.
         */
        private double[] distances() {
            double none = Math.exp(-loadFactor);
            double[] more = new double[1024]; // P[N > k]
            double p = none;
            double tail = 1;
            for (int k = 0; k < more.length && tail > 0; k++) {
                tail = Math.max(0, tail - p);
                more[k] = tail;
                p *= loadFactor / (k + 1);
            }
            double[] over = new double[more.length];
            over[0] = (1 - loadFactor) / none;
            double[] distances = new double[more.length];
            distances[0] = over[0] * more[0] / loadFactor;
            double left = 1 - distances[0];
            int d = 0;
            while (left > LEFT_OUT && d + 1 < distances.length) {
                double sum = 0;
                for (int i = 0; i <= d; i++) {
                    sum += over[i] * more[d + 1 - i];
                }
                over[++d] = sum / none;
                distances[d] = over[d] / loadFactor;
                left -= distances[d];
            }
            distances[d] += left;
            return Arrays.copyOf(distances, d + 1);
        }

        @Override
        public @Nullable TableShape at(NicProfile nic, double otherLoadFactor) {
            return new Shape(scheme, otherLoadFactor, readSlots);
        }

        @Override
        public List<String> warnings() {
            return List.of("Clients of robin-hood perform one lookup at a time: under load, queueing of their READs is counted,"
                    + " that of whole lookups is not.");
        }

        @Override
        public Map<String, Object> settings() {
            return Map.of("robin-hood.read-slots", readSlots);
        }
    }
}

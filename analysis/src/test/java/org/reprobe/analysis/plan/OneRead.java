package org.reprobe.analysis.plan;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** Scheme whose lookups take one READ of ten records each. */
public record OneRead() implements PlannedScheme {
    private static final int READ_RECORDS = 10;

    @Override
    public String key() {
        return "one-read";
    }

    @Override
    public String title() {
        return "One READ";
    }

    @Override
    public @Nullable Table shape(NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize) {
        return inline ? new Table(this, loadFactor, recordBytes) : null;
    }

    record Table(OneRead scheme, double loadFactor, int recordBytes) implements TableShape {
        @Override
        public boolean inline() {
            return true;
        }

        @Override
        public int readBytes() {
            return READ_RECORDS * recordBytes;
        }

        @Override
        public int unitBytes() {
            return recordBytes;
        }

        @Override
        public double tableBytesPerRecord() {
            return recordBytes / loadFactor;
        }

        @Override
        public double bytesPerRecord() {
            return tableBytesPerRecord();
        }

        @Override
        public LookupDemand demand() {
            return new LookupDemand(1, readBytes(), 1, 1, readBytes(), 0, 0, READ_RECORDS, new double[] {1});
        }
    }
}

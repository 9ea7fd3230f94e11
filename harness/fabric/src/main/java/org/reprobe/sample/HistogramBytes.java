package org.reprobe.sample;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Serialization of histograms between processes: a length, then HdrHistogram's compressed form. */
public final class HistogramBytes {
    private static final int MAX_BYTES = 16 << 20;

    private HistogramBytes() {}

    /** Writes a histogram for {@link #addTo}. */
    public static void write(Histogram histogram, DataOutput out) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int bytes = histogram.encodeIntoCompressedByteBuffer(buffer);
        out.writeInt(bytes);
        out.write(buffer.array(), 0, bytes);
    }

    /** Adds a histogram that {@link #write} wrote. Throws an {@link IOException} if the data is malformed. */
    public static void addTo(Histogram histogram, DataInput in) throws IOException {
        byte[] bytes = new byte[Math.clamp(in.readInt(), 0, MAX_BYTES)];
        in.readFully(bytes);
        try {
            histogram.add(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0));
        } catch (DataFormatException | RuntimeException e) {
            throw new IOException("malformed histogram", e);
        }
    }
}

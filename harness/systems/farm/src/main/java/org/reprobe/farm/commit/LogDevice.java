package org.reprobe.farm.commit;

/**
 * Simulated SSD of a machine behind a buffer in non-volatile memory (FaRM 2014, section 3.4). Appended records are
 * durable once they are in the buffer, which drains at the rate of the SSD. The log is half full, as during cleaning:
 * per appended byte the SSD reads two bytes, rewrites one and writes one, so it transfers four bytes. The buffer is
 * full at first, which is its steady state under overload.
 */
public final class LogDevice {
    private static final double MOVED_BYTES = 4;
    private static final double NS_PER_S = 1e9;

    private final double nsPerByte;
    private final double bufferNs;
    private double emptyAtNs = Double.NaN;

    /** Creates a device that reads and writes {@code bytesPerS} bytes per second in total. */
    public LogDevice(double bytesPerS, long bufferBytes) {
        this.nsPerByte = MOVED_BYTES * NS_PER_S / bytesPerS;
        this.bufferNs = bufferBytes * nsPerByte;
    }

    /** Appends bytes and returns the time until the buffer has taken them, in ns. */
    long append(long bytes, long nowNs) {
        if (Double.isNaN(emptyAtNs)) {
            emptyAtNs = nowNs + bufferNs;
        }
        emptyAtNs = Math.max(emptyAtNs, (double) nowNs) + bytes * nsPerByte;
        return Math.max(0, (long) (emptyAtNs - nowNs - bufferNs));
    }
}

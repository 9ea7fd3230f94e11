package org.reprobe.farm.commit;

/**
 * A machine's SSD in virtual time, behind a buffer of non-volatile memory (FaRM 2014, section 3.4): what is appended to a log is safe as soon as it is in
 * the buffer, which is flushed as fast as the SSD takes it. The log is half full, as when it is cleaned: for a byte that is appended two are read, of which
 * one is written again. So the SSD moves four bytes for one. The buffer is full at first, as it is after a while when more comes than the SSD
 * takes.
 */
public final class LogDevice {
    private static final double MOVED_BYTES = 4;
    private static final double NS_PER_S = 1e9;

    private final double nsPerByte;
    private final double bufferNs;
    private double emptyAtNs = Double.NaN;

    /**
     * SSD behind a buffer.
     *
     * @param bytesPerS that it reads and writes in all
     */
    public LogDevice(double bytesPerS, long bufferBytes) {
        this.nsPerByte = MOVED_BYTES * NS_PER_S / bytesPerS;
        this.bufferNs = bufferBytes * nsPerByte;
    }

    /** Takes bytes; how long it is until they are in the buffer. */
    long append(long bytes, long nowNs) {
        if (Double.isNaN(emptyAtNs)) {
            emptyAtNs = nowNs + bufferNs;
        }
        emptyAtNs = Math.max(emptyAtNs, (double) nowNs) + bytes * nsPerByte;
        return Math.max(0, (long) (emptyAtNs - nowNs - bufferNs));
    }
}

package org.reprobe.farm.memory;

/**
 * The {@value #COUNT} sizes in which small objects are allocated (FaRM 2014, section 3.3): from 64 bytes to 1 MiB, each larger than the one
 * before by the same part, which makes 3.9 %. The paper prints the two ends, the number, and how much is lost: "1.8 %" on average and at
 * most "3.6 %".
 */
public final class SizeClasses {
    static final int COUNT = 256;
    static final int MIN_BYTES = 64;
    public static final int MAX_BYTES = 1 << 20;

    private static final int[] BYTES = new int[COUNT];

    static {
        double ratio = StrictMath.pow((double) MAX_BYTES / MIN_BYTES, 1.0 / (COUNT - 1));
        for (int i = 0; i < COUNT; i++) {
            // The last would be a byte more for want of digits.
            BYTES[i] = (int) Math.ceil(MIN_BYTES * StrictMath.pow(ratio, i) - 1e-6);
        }
    }

    private SizeClasses() {}

    /** Bytes of an object of a class, 0 to {@value #COUNT} - 1. */
    static int bytes(int sizeClass) {
        return BYTES[sizeClass];
    }

    /**
     * The smallest class whose objects hold so many bytes.
     *
     * @throws IllegalArgumentException for more than {@value #MAX_BYTES} bytes
     */
    public static int of(int bytes) {
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(bytes + " bytes are more than an object's " + MAX_BYTES);
        }
        int found = java.util.Arrays.binarySearch(BYTES, bytes);
        return found >= 0 ? found : -found - 1;
    }
}

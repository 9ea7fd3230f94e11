package org.reprobe.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

record PciLink(double gigatransfersPerS, int lanes) {
    /** Speed in the form {@code 8.0 GT/s PCIe}; older kernels write {@code 8 GT/s}. */
    private static final Pattern SPEED = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) GT/s.*");

    /** Parses sysfs's files for speed and width; null if they have no values. */
    static @Nullable PciLink parse(String speed, String width) {
        Matcher form = SPEED.matcher(speed);
        if (!form.matches() || !width.matches("[1-9]\\d?")) {
            return null;
        }
        return new PciLink(Double.parseDouble(form.group(1)), Integer.parseInt(width));
    }

    /**
     * Returns the bandwidth in one direction: up to 5 GT/s 8 of 10 bits are data, above 128 of 130 (PCI Express 3.0).
     */
    double gigabitsPerS() {
        return lanes * gigatransfersPerS * (gigatransfersPerS <= 5 ? 8.0 / 10 : 128.0 / 130);
    }

    boolean isBelow(PciLink other) {
        return gigatransfersPerS < other.gigatransfersPerS || lanes < other.lanes;
    }

    @Override
    public String toString() {
        return "%.1f GT/s x%d".formatted(gigatransfersPerS, lanes);
    }
}

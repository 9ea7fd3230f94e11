package org.reprobe.doctor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Speed of a port's link, from sysfs's {@code rate}; names as {@code EDR} are used for Ethernet, too. */
record PortRate(double gigabitsPerS, int lanes, String generation) {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) Gb/sec \\((\\d+)X ?(\\w*)\\)");

    /** Generations from slow to fast, as the kernel writes them. */
    private static final List<String> GENERATIONS =
            List.of("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR");

    /** First generation with split ports: HDR100 and NDR200 have two lanes by design. */
    private static final String FIRST_SPLIT = "HDR";

    static @Nullable PortRate parse(String rate) {
        Matcher form = FORM.matcher(rate);
        if (!form.matches()) {
            return null;
        }
        String generation = form.group(3).isEmpty() ? "SDR" : form.group(3);
        return new PortRate(Double.parseDouble(form.group(1)), Integer.parseInt(form.group(2)), generation);
    }

    /** Returns true if an InfiniBand link of four lanes has lost some. */
    boolean hasLostLanes() {
        return lanes < (isSlowerThan(FIRST_SPLIT) ? 4 : 2);
    }

    /** Returns true if this link is of an earlier generation; unknown generations count as later. */
    boolean isSlowerThan(String other) {
        int own = GENERATIONS.indexOf(generation);
        return own >= 0 && own < GENERATIONS.indexOf(other);
    }
}

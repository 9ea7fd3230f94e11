package org.reprobe.doctor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How fast a port's link runs: sysfs's {@code rate}.
 *
 * @param gigabitsPerS of all lanes
 * @param lanes 1, 2, 4, 8 or 12
 * @param generation how fast a lane is, such as {@code EDR}; by these names Ethernet's lanes go, too
 */
record PortRate(double gigabitsPerS, int lanes, String generation) {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) Gb/sec \\((\\d+)X ?(\\w*)\\)");

    /** From slow to fast, as the kernel writes them. */
    private static final List<String> GENERATIONS =
            List.of("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR");

    /** From here on ports are split: HDR100 and NDR200 have two lanes by right. */
    private static final String FIRST_SPLIT = "HDR";

    /** Null where the file tells nothing. */
    static @Nullable PortRate parse(String rate) {
        Matcher form = FORM.matcher(rate);
        if (!form.matches()) {
            return null;
        }
        String generation = form.group(3).isEmpty() ? "SDR" : form.group(3);
        return new PortRate(Double.parseDouble(form.group(1)), Integer.parseInt(form.group(2)), generation);
    }

    /** Whether InfiniBand's four lanes have become fewer. */
    boolean hasLostLanes() {
        return lanes < (isSlowerThan(FIRST_SPLIT) ? 4 : 2);
    }

    /** Unknown generations are later ones. */
    boolean isSlowerThan(String other) {
        int own = GENERATIONS.indexOf(generation);
        return own >= 0 && own < GENERATIONS.indexOf(other);
    }
}

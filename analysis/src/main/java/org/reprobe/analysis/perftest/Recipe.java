package org.reprobe.analysis.perftest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.calibration.ProfileText.Constant;
import org.reprobe.analysis.nic.NicProfile.Basis;

/**
 * Shortest list of commands that identify the constants of a profile. For each command of perftest, the server runs the
 * same without the address.
 */
public enum Recipe {
    DEVICE(
            "ibv_devinfo -v; ibstat; sudo lspci -vv",
            "",
            "limits.send-queue",
            "limits.outstanding-reads",
            "limits.queue-pairs",
            "limits.message-bytes",
            "link.bytes-per-second",
            "slot.bytes-per-second",
            "responder.payload-ns-per-byte"),
    LATENCY("ib_read_lat -a -F SERVER", "", "requester.round-trip-ns", "requester.jitter", "transfer.stages"),
    BANDWIDTH(
            "ib_read_bw -a -F SERVER",
            "; ibstat and lspci show which one",
            "link.bytes-per-second",
            "slot.bytes-per-second",
            "responder.payload-ns-per-byte",
            "transfer.read-efficiency"),
    ONE_OUTSTANDING("ib_read_bw -s 8 -q 1 -o 1 -F SERVER", "", "requester.host-ns"),
    WRITE_LATENCY(
            "ib_write_lat -a -F SERVER; ib_send_lat -F SERVER",
            "",
            "transfer.write-share",
            "transfer.send-share",
            "transfer.payload-fetch-ns"),
    POST("ib_write_bw -s 8 -q 1 -l 1 -F SERVER", "; both together", "client.post-ns"),
    POST_LISTS("ib_write_bw -s 8 -q 1 -l 64 -F SERVER", "", "client.post-ns", "client.doorbell-ns"),
    MESSAGES(
            "ib_read_bw -s 8 -q 16 -l 16 -t 128 -o 16 -F SERVER",
            "; on one client, then on two or more at the same time against one server (--together)",
            "responder.message-ns"),
    ATOMICS("ib_atomic_bw -F SERVER", "", "responder.atomic-same-address-ns"),
    OWN_PROGRAM(
            "./run.sh calibrate --fabric verbs --server SERVER:7000",
            "; no program of perftest identifies these",
            "responder.random-access-ns",
            "responder.atomic-ns",
            "client.lookup-ns",
            "client.completion-ns",
            "client.slot-ns");

    /** Constant that has the slot's bandwidth in profiles without a section for it. */
    private static final String PAYLOAD = "responder.payload-ns-per-byte";

    private static final String SLOT = "slot.bytes-per-second";

    private final String command;
    private final String remark;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> keys;

    Recipe(String command, String remark, String... keys) {
        this.command = command;
        this.remark = remark;
        this.keys = List.of(keys);
    }

    public String command() {
        return command;
    }

    public String remark() {
        return remark;
    }

    /** Returns the constants that the command identifies. */
    public List<String> keys() {
        return keys;
    }

    /** Returns the shortest command that identifies a constant; null if none does. */
    public static @Nullable Recipe identifying(String constant) {
        return Arrays.stream(values())
                .filter(recipe -> recipe.keys.contains(constant))
                .findFirst()
                .orElse(null);
    }

    /** Step of a recipe with those of its constants that are still unknown. */
    public record Step(Recipe recipe, List<String> keys) {}

    /** Returns all steps, with those of the constants that profiles have. */
    public static List<Step> all(Collection<String> constants) {
        return Arrays.stream(values())
                .map(recipe -> new Step(
                        recipe, recipe.keys.stream().filter(constants::contains).toList()))
                .filter(step -> !step.keys().isEmpty())
                .toList();
    }

    /** Returns the steps for the constants that are neither measured nor derived. */
    public static List<Step> missing(Collection<Constant> constants) {
        Map<String, Basis> bases = constants.stream().collect(Collectors.toMap(Constant::key, Constant::basis));
        List<Step> steps = new ArrayList<>();
        for (Recipe recipe : values()) {
            List<String> keys = recipe.keys.stream()
                    .filter(bases::containsKey)
                    .filter(key -> !key.equals(PAYLOAD) || !bases.containsKey(SLOT))
                    .filter(key -> recipe.improves(bases.get(key)))
                    .toList();
            // A bandwidth that perftest has measured is not measured again, whichever stage it belongs to.
            boolean enough =
                    recipe == BANDWIDTH && recipe.keys.stream().map(bases::get).anyMatch(Recipe::isMeasured);
            if (!keys.isEmpty() && !enough) {
                steps.add(new Step(recipe, keys));
            }
        }
        return steps;
    }

    private static boolean isMeasured(@Nullable Basis basis) {
        return basis == Basis.MEASURED || basis == Basis.BOUND;
    }

    private boolean improves(@Nullable Basis basis) {
        return switch (this) {
            case BANDWIDTH -> !isMeasured(basis);
            case POST -> basis == Basis.ASSUMED;
            default -> basis == Basis.ASSUMED || basis == Basis.BOUND;
        };
    }
}

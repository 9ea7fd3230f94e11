package org.reprobe.farm;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;

/** Checks of settings for messages and READs. */
final class MessagingChecks {
    private MessagingChecks() {}

    /** Reports rings too small for a message, whose length {@code lengthKeys} determine, and unknown message times. */
    static void check(CellCheck cell, String ringKey, int ringBytes, int maxMessageBytes, List<String> lengthKeys) {
        String problem = RingLayout.problem(ringBytes, maxMessageBytes);
        if (problem != null) {
            List<String> keys = new ArrayList<>(List.of(ringKey));
            keys.addAll(lengthKeys);
            cell.reportProblem(problem, keys.toArray(String[]::new));
        }
        checkCost(cell);
    }

    static void checkCost(CellCheck cell) {
        NicProfile nic = cell.nic();
        if (!cell.settings().isReal() && nic != null && nic.client().messageNs() == 0) {
            cell.reportProblem(
                    "%s has no CPU time of a message (client.message-ns)"
                            .formatted(cell.settings().nic()),
                    "nic",
                    "scheme");
        }
    }

    /**
     * Rejects rings, before memory is allocated, if a card does not guarantee that WRITEs land in order and the user
     * does not assume it by {@code key}.
     */
    static void requireOrder(List<? extends RegisteredMemory> machines, String key, boolean assumed)
            throws FabricException {
        if (!assumed && !machines.stream().allMatch(RegisteredMemory::writesLandInOrder)) {
            throw new FabricException(
                    "message rings require a card that writes the bytes of a WRITE in the order of addresses; the card of this"
                            + " machine does not guarantee that (./run.sh doctor): use READs, or set " + key
                            + ": true if the card is known to do so");
        }
    }

    /** Returns a warning for results with an assumed order. */
    static List<String> warnings(Settings settings, String key, boolean assumed) {
        return settings.isReal() && assumed
                ? List.of(key + ": the card was assumed, not verified, to write the bytes of a WRITE in order")
                : List.of();
    }

    static void checkSendQueue(CellCheck cell, String inFlightKey, int sendQueue) {
        NicProfile nic = cell.nic();
        if (!cell.settings().isReal() && nic != null && sendQueue > nic.limits().sendQueue()) {
            cell.reportProblem(
                    "in-flight needs a send queue of %d entries, but one of %s holds %d"
                            .formatted(
                                    sendQueue,
                                    cell.settings().nic(),
                                    nic.limits().sendQueue()),
                    inFlightKey,
                    "nic");
        }
    }

    static void checkReads(CellCheck cell, String instead) {
        NicProfile nic = cell.nic();
        if (!cell.settings().isReal() && nic != null && nic.card().takesMessagesOnly()) {
            cell.reportProblem(
                    "%s supports only unacknowledged messages (card.acknowledgement-bytes), but this scheme uses READs; use scheme: %s"
                            .formatted(cell.settings().nic(), instead),
                    "nic",
                    "scheme");
        }
    }
}

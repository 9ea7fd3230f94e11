package org.reprobe.farm;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;

/** What settings must say for messages and for READs, in the user's words. */
final class MessagingChecks {
    private MessagingChecks() {}

    /**
     * Complains of rings without room for a message, and where nobody knows what one costs.
     *
     * @param lengthKeys what the length of messages follows from
     */
    static void check(CellCheck cell, String ringKey, int ringBytes, int maxMessageBytes, List<String> lengthKeys) {
        String problem = RingLayout.problem(ringBytes, maxMessageBytes);
        if (problem != null) {
            List<String> keys = new ArrayList<>(List.of(ringKey));
            keys.addAll(lengthKeys);
            cell.complain(problem, keys.toArray(String[]::new));
        }
        checkCost(cell);
    }

    /** Complains where nobody knows what a message costs. */
    static void checkCost(CellCheck cell) {
        NicProfile nic = cell.nic();
        if (!cell.settings().isReal() && nic != null && nic.client().messageNs() == 0) {
            cell.complain(
                    "what CPU time a message takes is not known of the machines with %s (client.message-ns)"
                            .formatted(cell.settings().nic()),
                    "nic",
                    "scheme");
        }
    }

    /**
     * Refuses rings of messages in the memory of machines whose cards do not promise that a WRITE lands in order: before it is filled.
     *
     * @param key by which a user takes it for granted
     * @param assumed whether one does
     */
    static void requireOrder(List<? extends RegisteredMemory> machines, String key, boolean assumed)
            throws FabricException {
        if (!assumed && !machines.stream().allMatch(RegisteredMemory::writesLandInOrder)) {
            throw new FabricException(
                    "messages go through rings in memory, for which a card must land the bytes of a WRITE in the order of addresses, and"
                            + " this machine's does not promise that (./run.sh doctor): READ instead, or set " + key
                            + ": true where it is known to do so");
        }
    }

    /** What is to be said of a result for which that was taken for granted. */
    static List<String> warnings(Settings settings, String key, boolean assumed) {
        return settings.isReal() && assumed
                ? List.of(key + ": that the card lands the bytes of a WRITE in order was taken for granted, not asked")
                : List.of();
    }

    /** Complains of a send queue that no card has. */
    static void checkSendQueue(CellCheck cell, String inFlightKey, int sendQueue) {
        NicProfile nic = cell.nic();
        if (!cell.settings().isReal() && nic != null && sendQueue > nic.limits().sendQueue()) {
            cell.complain(
                    "in-flight needs %d places in the send queue, but one of %s holds %d"
                            .formatted(
                                    sendQueue,
                                    cell.settings().nic(),
                                    nic.limits().sendQueue()),
                    inFlightKey,
                    "nic");
        }
    }

    /** Complains of READs between machines that only send each other messages. */
    static void checkReads(CellCheck cell, String instead) {
        NicProfile nic = cell.nic();
        if (!cell.settings().isReal() && nic != null && nic.card().takesMessagesOnly()) {
            cell.complain(
                    "%s has messages only, of which none is acknowledged (card.acknowledgement-bytes), and this scheme READs; use scheme: %s"
                            .formatted(cell.settings().nic(), instead),
                    "nic",
                    "scheme");
        }
    }
}

package org.reprobe.trial;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.check.Operation;

/** Operations of each client, in order. */
public record Script(List<List<Step>> clients) {

    /** Operation on a key, by its index from 0. The value is unused except by a write. */
    public record Step(Operation operation, int key, long value) {}

    /**
     * Parses a script: one part per client, separated by bars, with {@code w0} for a write of key 0, {@code r0} for a
     * read, {@code d0} for a delete, {@code f0} for a find-or-put. Each write has a unique value, from 101 on.
     */
    public static Script of(String text) {
        List<List<Step>> clients = new ArrayList<>();
        long value = 100;
        for (String client : text.split("\\|", -1)) {
            List<Step> steps = new ArrayList<>();
            for (String word : client.strip().split(" +", -1)) {
                Operation operation = switch (word.charAt(0)) {
                    case 'w' -> Operation.WRITE;
                    case 'r' -> Operation.READ;
                    case 'd' -> Operation.DELETE;
                    case 'f' -> Operation.FIND_OR_PUT;
                    default -> throw new IllegalArgumentException(word);
                };
                steps.add(new Step(operation, word.charAt(1) - '0', ++value));
            }
            clients.add(List.copyOf(steps));
        }
        return new Script(clients);
    }
}

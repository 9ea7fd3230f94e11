package org.reprobe.remote.trials;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.reprobe.check.Event;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;
import org.reprobe.check.RegisterMap;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OperationResult;
import org.reprobe.system.CrashTest;

/** {@link CrashTest} of a map from keys to 8-byte values. */
public abstract class KeyValueCrashTest implements CrashTest {
    private static final List<Operation> OPERATIONS = operations(9, 3, 8);

    private static List<Operation> operations(int writes, int deletes, int reads) {
        List<Operation> all = new ArrayList<>(Collections.nCopies(writes, Operation.WRITE));
        all.addAll(Collections.nCopies(deletes, Operation.DELETE));
        all.addAll(Collections.nCopies(reads, Operation.READ));
        return List.copyOf(all);
    }

    @Override
    public final Model<?> model() {
        return new RegisterMap(Map.of());
    }

    @Override
    public final List<Operation> operations() {
        return OPERATIONS;
    }

    /** Returns the read of a key with a known value; empty for an absent key. */
    protected static Event readEvent(int client, long key, OptionalLong value, long nowNs) {
        return new Event(client, Operation.READ, key, 0, 0, value.orElse(Event.ABSENT), nowNs, nowNs + 1);
    }

    protected static Session session(KeyValueClient table) {
        return new Session() {
            @Override
            public long perform(Operation operation, long key, long value) throws FabricException {
                OperationResult result = switch (operation) {
                    case WRITE -> table.write(key, value);
                    case DELETE -> table.delete(key);
                    default -> table.read(key);
                };
                return switch (result) {
                    case DONE -> operation == Operation.READ ? table.firstWord() : Event.DONE;
                    case ABSENT -> Event.ABSENT;
                    case FULL -> Event.REFUSED;
                    case GAVE_UP ->
                        throw new FabricException("an operation failed repeatedly: " + operation.text() + "(" + key
                                + "); something blocks it");
                };
            }

            @Override
            public void close() throws FabricException {
                table.close();
            }
        };
    }
}

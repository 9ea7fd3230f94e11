package org.reprobe.remote.trials;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OperationResult;
import org.reprobe.trial.Script;

/**
 * Trial of clients that perform a script on a tiny key-value table. If an operation ends because a machine is
 * unreachable, the client reconnects and continues. The operation stays pending: it may take effect at any later time,
 * or never. The final content of the table is checked as well, as a read of each key after all operations.
 */
public abstract class KeyValueTrial implements Trial {
    /** First key. The value of a loaded key is the key itself, which must exceed the values that scripts write. */
    protected static final long FIRST_KEY = 1000;

    private final Script script;
    private final int loadedKeys;
    private final long[] keys;

    /** @param loaded number of keys that are initially in the table, the first ones of {@code keys} */
    protected KeyValueTrial(Script script, long[] keys, int loaded) {
        this.script = script;
        this.keys = keys.clone();
        this.loadedKeys = loaded;
    }

    protected abstract KeyValueClient connect(Client client) throws FabricException;

    /** Returns true if {@link #finalValue} can determine the table's final content from its memory. */
    protected abstract boolean revealsContent();

    /** Returns a key's final value, or empty if absent; throws {@link IllegalStateException} on inconsistent memory. */
    protected abstract OptionalLong finalValue(long key);

    /**
     * Returns true if a write of key {@code number} may be refused. If {@code last}, no other operation was concurrent
     * or later, so that the write found the final table.
     */
    protected abstract boolean mayBeRefused(int number, boolean last);

    /** Returns true if an operation or a final read may be stuck since a broken connection left another unfinished. */
    protected boolean mayBeStuck() {
        return false;
    }

    protected final int keys() {
        return keys.length;
    }

    protected final long key(int number) {
        return keys[number];
    }

    protected final int loadedKeys() {
        return loadedKeys;
    }

    @Override
    public int clients() {
        return script.clients().size();
    }

    @Override
    @SuppressWarnings("resource") // all resources are freed at the end of a schedule
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int index = client.index();
        KeyValueClient table = connect(client);
        for (Script.Step step : script.clients().get(index)) {
            long key = keys[step.key()];
            int invocation = history.invoked(index, step.operation(), step.key(), step.value());
            OperationResult result;
            try {
                result = switch (step.operation()) {
                    case READ -> table.read(key);
                    case WRITE -> table.write(key, step.value());
                    case DELETE -> table.delete(key);
                    default -> throw new IllegalArgumentException("a map has no " + step.operation());
                };
            } catch (UnreachableException e) {
                Reconnection.untilDone(client, table::reconnect);
                continue;
            }
            switch (result) {
                case DONE ->
                    history.returned(
                            invocation,
                            switch (step.operation()) {
                                case READ -> named(table.firstWord());
                                default -> Event.DONE;
                            });
                case ABSENT -> history.returned(invocation, Event.ABSENT);
                case FULL -> history.returned(invocation, Event.REFUSED);
                case GAVE_UP -> {
                    if (!mayBeStuck()) {
                        throw new IllegalStateException("the client gives up an operation");
                    }
                }
            }
        }
    }

    /** Returns a value for the history: that of a loaded key is replaced by the key's number. */
    private long named(long value) {
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == value) {
                return i;
            }
        }
        return value;
    }

    private static boolean isLast(Event event, History history) {
        return history.events().stream()
                .allMatch(other -> other.equals(event) || (!other.pending() && other.returned() < event.invoked()));
    }

    @Override
    public @Nullable String violation(History history) {
        for (Event event : history.events()) {
            if (!event.pending()
                    && event.result() == Event.REFUSED
                    && !mayBeRefused((int) event.key(), isLast(event, history))) {
                return "client " + event.client() + "'s " + event.text() + ", though there is room";
            }
        }
        Map<Long, Long> before = new HashMap<>();
        for (long key = 0; key < loadedKeys; key++) {
            before.put(key, key);
        }
        History judged = history;
        if (revealsContent()) {
            List<Event> events = new ArrayList<>(history.events());
            long time = Long.MAX_VALUE - 2;
            for (int key = 0; key < keys.length; key++) {
                OptionalLong value;
                try {
                    value = finalValue(keys[key]);
                } catch (IllegalStateException e) {
                    if (mayBeStuck()) {
                        continue;
                    }
                    return "key " + key + ": " + e.getMessage();
                }
                long found = value.isPresent() ? named(value.getAsLong()) : Event.ABSENT;
                events.add(new Event(clients(), Operation.READ, key, 0, 0, found, time, time + 1));
            }
            judged = new History(events);
        }
        return new LinearizabilityCheck<>(new RegisterMap(before)).check(judged)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : null;
    }
}

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
 * Clients that do a script's operations on a tiny table of keys and values. One whose operation ends since a machine can't be reached
 * connects again and goes on with its next: the operation stays pending, so it may take effect at any later time, or never. In the end, what the table holds is judged as well:
 * as if somebody had read each key after all operations.
 */
public abstract class KeyValueTrial implements Trial {
    /** What is loaded has its key for a value: keys are higher than what scripts write. */
    protected static final long FIRST_KEY = 1000;

    private final Script script;
    private final int loadedKeys;
    private final long[] keys;

    /**
     * @param keys those that the script's numbers stand for
     * @param loaded how many of them, the first ones, are in the table from the start, each with itself for a value
     */
    protected KeyValueTrial(Script script, long[] keys, int loaded) {
        this.script = script;
        this.keys = keys.clone();
        this.loadedKeys = loaded;
    }

    /** Connects a client. */
    protected abstract KeyValueClient connect(Client client) throws FabricException;

    /** Whether the table's memory tells in the end what it holds: {@link #left} is asked then. */
    protected abstract boolean tellsWhatIsLeft();

    /**
     * The value of a key when all clients have ended.
     *
     * @throws IllegalStateException when the memory is not as it may be left
     */
    protected abstract OptionalLong left(long key);

    /**
     * Whether a write of a key may be refused, for want of room or items.
     *
     * @param last whether nothing else was under way then or came later, so that the table is still as the write found it
     */
    protected abstract boolean mayBeRefused(int number, boolean last);

    /**
     * Whether an operation may be given up, and a key be left that nobody can read, since nobody ends what a broken connection has left.
     */
    protected boolean mayBeStuck() {
        return false;
    }

    /** How many keys there are. */
    protected final int keys() {
        return keys.length;
    }

    /** The key that a script's number stands for. */
    protected final long key(int number) {
        return keys[number];
    }

    /** How many keys are in the table from the start. */
    protected final int loadedKeys() {
        return loadedKeys;
    }

    @Override
    public int clients() {
        return script.clients().size();
    }

    @Override
    @SuppressWarnings("resource") // nothing outlives a schedule
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int me = client.index();
        KeyValueClient table = connect(client);
        for (Script.Ask ask : script.clients().get(me)) {
            long key = keys[ask.key()];
            int invocation = history.invoked(me, ask.operation(), ask.key(), ask.value());
            OperationResult result;
            try {
                result = switch (ask.operation()) {
                    case READ -> table.read(key);
                    case WRITE -> table.write(key, ask.value());
                    case DELETE -> table.delete(key);
                    default -> throw new IllegalArgumentException("a map has no " + ask.operation());
                };
            } catch (UnreachableException e) {
                Reconnection.untilDone(client, table::reconnect);
                continue;
            }
            switch (result) {
                case DONE ->
                    history.returned(
                            invocation,
                            switch (ask.operation()) {
                                case READ -> named(table.firstWord());
                                default -> Event.DONE;
                            });
                case ABSENT -> history.returned(invocation, Event.ABSENT);
                case FULL -> history.returned(invocation, Event.REFUSED);
                case GAVE_UP -> {
                    if (!mayBeStuck()) {
                        throw new IllegalStateException("it gives an operation up");
                    }
                }
            }
        }
    }

    /** What was loaded has its key for a value: shown as the key's number. */
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
    public @Nullable String wrong(History history) {
        for (Event event : history.events()) {
            if (!event.pending()
                    && event.result() == Event.REFUSED
                    && !mayBeRefused((int) event.key(), isLast(event, history))) {
                return "client " + event.client() + "'s " + event.words() + ", though there is room";
            }
        }
        Map<Long, Long> before = new HashMap<>();
        for (long key = 0; key < loadedKeys; key++) {
            before.put(key, key);
        }
        History judged = history;
        if (tellsWhatIsLeft()) {
            List<Event> events = new ArrayList<>(history.events());
            long time = Long.MAX_VALUE - 2;
            for (int key = 0; key < keys.length; key++) {
                OptionalLong value;
                try {
                    value = left(keys[key]);
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
                ? verdict.words()
                : null;
    }
}

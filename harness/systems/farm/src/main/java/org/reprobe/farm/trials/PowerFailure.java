package org.reprobe.farm.trials;

import static org.reprobe.farm.trials.RecoveryTrial.LOG_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.OBJECT;
import static org.reprobe.farm.trials.RecoveryTrial.VALUE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.Operation;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.check.TransactionHistory.Access;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.RestoredObjects;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.recovery.Configuration;
import org.reprobe.farm.recovery.MachineWords;
import org.reprobe.farm.trials.RecoveryTrial.Setting;

/**
 * Logs of the last configuration's members at a moment at which all machines of a {@link RecoveryTrial} lose power.
 *
 * @param number number of the watching client's transaction that marks the moment in the history
 */
record PowerFailure(Setting setting, long number, Configuration last, Map<Integer, List<List<long[]>>> logs) {

    /** Last write of an object, and the version before. */
    private record Written(long replaced, long value) {}

    static PowerFailure now(Setting setting, long number, List<MemorySegment> memories) {
        Configuration last = Configuration.first(setting.machines());
        for (int machine = 0; machine < setting.machines(); machine++) {
            Configuration own = new MachineWords(memories.get(machine), setting.wordsAt()).configuration();
            last = own.number() > last.number() ? own : last;
        }
        Map<Integer, List<List<long[]>>> logs = new HashMap<>();
        for (int machine : last.all()) {
            MemorySegment memory = memories.get(machine);
            logs.put(
                    machine,
                    IntStream.range(0, setting.threads())
                            .mapToObj(thread -> {
                                List<long[]> records = new ArrayList<>();
                                ReplicaLog.forEach(memory, setting.logAt(thread), LOG_BYTES, records::add);
                                return records;
                            })
                            .toList());
        }
        return new PowerFailure(setting, number, last, logs);
    }

    /** Returns an error if a restart from the logs contradicts the replies up to the failure; else null. */
    @Nullable
    String violation(History history) {
        RegionCopies places = last.copies(setting.copies());
        for (int region = 0; region < setting.machines(); region++) {
            if (places.replica(region, 0) == RegionCopies.NO_MACHINE) {
                return null; // only the primary, which does not log, is left
            }
        }
        Map<Long, Written> values;
        try {
            RestoredObjects restored = restored(places);
            values = values(restored);
            if (restored.incomplete() > 0) {
                return "the logs of two replicas have different last versions";
            }
            String wrong = interruptedRestart(places, restored, values);
            if (wrong != null) {
                return wrong;
            }
        } catch (FabricException e) {
            return e.getMessage();
        }
        List<Access> reads = new ArrayList<>();
        for (long object = 0; object < setting.objects(); object++) {
            long address = Address.of(setting.region(object), setting.offset(object));
            Written written = values.get(address);
            reads.add(new Access(object, written == null ? 0 : written.value()));
        }
        Entry read = new Entry(setting.machines() + 1, 0, reads, List.of(), Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
        TransactionHistory all = new TransactionHistory(
                Stream.concat(TransactionHistory.of(before(history)).transactions().stream(), Stream.of(read))
                        .toList());
        return new StrictSerializabilityCheck(DistributedTrial.initialValues(setting.objects())).check(all)
                        instanceof Outcome.NotSerializable verdict
                ? "After a restart from the logs (read by client " + read.client() + "): " + verdict.words()
                : null;
    }

    private RestoredObjects restored(RegionCopies places) throws FabricException {
        return new RestoredObjects(places, setting.machines(), (region, offset) -> OBJECT, logs);
    }

    private static Map<Long, Written> values(RestoredObjects restored) throws FabricException {
        Map<Long, Written> values = new TreeMap<>();
        restored.forEach(
                (address, replaced, payload) -> values.put(address, new Written(replaced, payload.get(VALUE, 0))));
        return values;
    }

    /**
     * Returns an error if the power fails again during the restart, at any moment, and another restart finds other
     * values, or if the new logs are complete and lack values without the earlier ones; else null.
     */
    private @Nullable String interruptedRestart(
            RegionCopies places, RestoredObjects restored, Map<Long, Written> expected) throws FabricException {
        List<List<long[]>> again = new ArrayList<>();
        for (int machine = 0; machine < setting.machines(); machine++) {
            for (int thread = 0; thread < setting.threads(); thread++) {
                again.add(loggedAgain(restored, machine, thread));
            }
        }
        int[] kept = new int[again.size()];
        for (boolean more = true; more; more = next(kept, again)) {
            Map<Integer, List<List<long[]>>> interrupted = new HashMap<>();
            for (int i = 0; i < kept.length; i++) {
                interrupted
                        .computeIfAbsent(i / setting.threads(), _ -> new ArrayList<>())
                        .add(again.get(i).subList(0, kept[i]));
            }
            RestoredObjects second = restored(places);
            second.addLater(setting.copies(), interrupted);
            Map<Long, Written> values = values(second);
            if (values.equals(expected) && isComplete(kept, again)) {
                values = values(new RestoredObjects(
                        setting.copies(), setting.machines(), (region, offset) -> OBJECT, interrupted));
            }
            if (!values.equals(expected)) {
                return "After a restart during a restart, objects are %s instead of %s; records logged again by thread: %s"
                        .formatted(values, expected, Arrays.toString(kept));
            }
        }
        return null;
    }

    private List<long[]> loggedAgain(RestoredObjects restored, int machine, int thread) throws FabricException {
        List<long[]> records = new ArrayList<>();
        CommitMessage.Builder message = new CommitMessage.Builder(RecoveryTrial.MAX_WORDS);
        restored.forEachLoggedBy(setting.copies(), machine, thread, setting.threads(), (address, replaced, payload) -> {
            message.begin(CommitMessage.LOG_WRITES, 0);
            message.add(address, replaced, OBJECT, payload);
            records.add(Arrays.copyOf(message.words(), message.count()));
        });
        return records;
    }

    private static boolean isComplete(int[] kept, List<List<long[]>> logs) {
        return IntStream.range(0, kept.length)
                .allMatch(i -> kept[i] == logs.get(i).size());
    }

    /** Advances to the next combination of lengths; returns false after the last one. */
    private static boolean next(int[] kept, List<List<long[]>> logs) {
        for (int i = 0; i < kept.length; i++) {
            if (kept[i] < logs.get(i).size()) {
                kept[i]++;
                return true;
            }
            kept[i] = 0;
        }
        return false;
    }

    /** Returns the history up to the failure: later replies are missing. */
    private History before(History history) {
        long at = history.events().stream()
                .filter(each -> each.client() == setting.store() && each.key() == number)
                .findFirst()
                .orElseThrow()
                .invoked();
        List<Event> before = new ArrayList<>();
        for (Event each : history.events()) {
            if (each.invoked() > at || each.client() == setting.store()) {
                continue;
            }
            if (each.returned() <= at) {
                before.add(each);
            } else if (each.operation() == Operation.TRANSACTION) {
                before.add(
                        new Event(each.client(), each.operation(), each.key(), 0, 0, 0, each.invoked(), Event.PENDING));
            }
        }
        return new History(before);
    }
}

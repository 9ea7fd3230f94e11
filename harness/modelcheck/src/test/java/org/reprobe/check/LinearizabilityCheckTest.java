package org.reprobe.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.reprobe.check.Operation.COMPARE_AND_SWAP;
import static org.reprobe.check.Operation.DELETE;
import static org.reprobe.check.Operation.FIND_OR_PUT;
import static org.reprobe.check.Operation.READ;
import static org.reprobe.check.Operation.WRITE;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class LinearizabilityCheckTest {
    private static final LinearizabilityCheck<Long> MAP = new LinearizabilityCheck<>(new RegisterMap());
    private static final LinearizabilityCheck<Boolean> SET = new LinearizabilityCheck<>(new FindOrPutSet());

    private static Event event(int client, Operation operation, long argument, long result, long from, long to) {
        return new Event(client, operation, 1, argument, 0, result, from, to);
    }

    private static Event write(int client, long value, long from, long to) {
        return event(client, WRITE, value, Event.DONE, from, to);
    }

    private static Event read(int client, long value, long from, long to) {
        return event(client, READ, 0, value, from, to);
    }

    private static Event swap(int client, long expected, long desired, long before, long from, long to) {
        return new Event(client, COMPARE_AND_SWAP, 1, desired, expected, before, from, to);
    }

    private static Event findOrPut(int client, long result, long from, long to) {
        return event(client, FIND_OR_PUT, 0, result, from, to);
    }

    private static void holds(LinearizabilityCheck<?> check, Event... events) {
        assertThat(check.check(new History(List.of(events)))).isInstanceOf(Verdict.Linearizable.class);
    }

    private static Verdict.NotLinearizable fails(LinearizabilityCheck<?> check, Event... events) {
        Verdict verdict = check.check(new History(List.of(events)));
        assertThat(verdict).isInstanceOf(Verdict.NotLinearizable.class);
        return (Verdict.NotLinearizable) verdict;
    }

    @Test
    void anEmptyHistoryIsLinearizable() {
        holds(MAP);
    }

    /** Analogues of the register histories H1 to H4 in Herlihy and Wing, "Linearizability" (1990), section 1.2. */
    @Test
    void overlappingWritesMayBeReadInEitherOrderButOnlyInOne() {
        Event[] writes = {write(0, 1, 0, 10), write(1, 2, 1, 9)};
        holds(MAP, writes[0], writes[1], read(2, 1, 11, 12), read(2, 1, 13, 14));
        holds(MAP, writes[0], writes[1], read(2, 2, 11, 12), read(3, 2, 11, 14));
        fails(MAP, writes[0], writes[1], read(2, 1, 11, 12), read(3, 2, 13, 14));
        fails(MAP, writes[0], writes[1], read(2, Event.ABSENT, 11, 12));
    }

    @Test
    void aReadThatOverlapsAWriteSeesTheOldOrTheNewValueButNeverNewThenOld() {
        Event before = write(0, 1, 0, 1);
        Event during = write(0, 2, 2, 9);
        holds(MAP, before, during, read(1, 1, 3, 4), read(1, 2, 5, 6));
        Verdict.NotLinearizable inversion = fails(MAP, before, during, read(1, 2, 3, 4), read(2, 1, 5, 6));
        assertThat(inversion.culprit()).isEqualTo(read(2, 1, 5, 6));
        // Operations in flight at the culprit's return are shown as pending.
        assertThat(inversion.part().events().get(1).pending()).isTrue();
    }

    @Test
    void aStaleReadAfterTheWriteReturnedFails() {
        assertThat(fails(MAP, write(0, 1, 0, 1), write(0, 2, 2, 3), read(1, 1, 4, 5))
                        .text())
                .isEqualTo("""
                        No order of these operations explains client 1's read(1) -> 1:
                          client 0  write(1, 1) -> done  |---|
                          client 0  write(1, 2) -> done          |---|
                          client 1  read(1) -> 1                         |---|
                        """);
    }

    @Test
    void operationsThatTouchInTimeOverlap() {
        holds(MAP, write(0, 1, 0, 1), write(0, 2, 2, 3), read(1, 1, 3, 4));
    }

    @Test
    void anUnwrittenValueFails() {
        fails(MAP, write(0, 1, 0, 5), read(1, 3, 1, 4));
    }

    @Test
    void aPendingWriteMayHaveHappenedOrNotButNotBeUndone() {
        Event crashed = write(0, 7, 2, Event.PENDING);
        Event before = write(1, 1, 0, 1);
        holds(MAP, before, crashed, read(1, 1, 3, 4), read(1, 7, 5, 6));
        holds(MAP, before, crashed, read(1, 1, 3, 4));
        holds(MAP, before, crashed, read(1, 7, 50, 60));
        fails(MAP, before, crashed, read(1, 7, 3, 4), read(1, 1, 5, 6));
        fails(MAP, write(0, 7, 5, Event.PENDING), read(1, 7, 3, 4));
    }

    @Test
    void severalPendingWritesExplainSeveralReads() {
        holds(MAP, write(0, 1, 0, Event.PENDING), write(1, 2, 0, Event.PENDING), read(2, 2, 1, 2), read(2, 1, 3, 4));
        fails(
                MAP,
                write(0, 1, 0, Event.PENDING),
                write(1, 2, 0, Event.PENDING),
                read(2, 2, 1, 2),
                read(2, 1, 3, 4),
                read(2, 2, 5, 6));
    }

    @Test
    void aDeletedKeyIsAbsentAndARefusedWriteDidNothing() {
        Event delete = event(0, DELETE, 0, Event.DONE, 2, 3);
        holds(MAP, write(0, 1, 0, 1), delete, read(1, Event.ABSENT, 4, 5));
        fails(MAP, write(0, 1, 0, 1), delete, read(1, 1, 4, 5));
        holds(MAP, write(0, 1, 0, 1), event(0, WRITE, 2, Event.REFUSED, 2, 3), read(1, 1, 4, 5));
        fails(MAP, write(0, 1, 0, 1), event(0, WRITE, 2, Event.REFUSED, 2, 3), read(1, 2, 4, 5));
        holds(MAP, write(0, 1, 0, 1), event(0, DELETE, 0, Event.REFUSED, 2, 3), read(1, 1, 4, 5));
        fails(MAP, write(0, 1, 0, 1), event(0, DELETE, 0, Event.REFUSED, 2, 3), read(1, Event.ABSENT, 4, 5));
        fails(MAP, write(0, 1, 0, 1), event(0, DELETE, 0, Event.ABSENT, 2, 3));
        holds(MAP, write(0, 1, 0, 3), event(1, DELETE, 0, Event.ABSENT, 2, 4), read(0, 1, 5, 6));
    }

    @Test
    void initialValuesAreKnown() {
        LinearizabilityCheck<Long> check = new LinearizabilityCheck<>(new RegisterMap(Map.of(1L, 5L)));
        holds(check, read(0, 5, 0, 1), write(0, 6, 2, 3), read(1, 6, 4, 5));
        fails(check, read(0, Event.ABSENT, 0, 1));
    }

    @Test
    void ofTwoSwapsThatExpectTheSameOnlyOneSucceeds() {
        holds(MAP, write(0, 1, 0, 1), swap(0, 1, 2, 1, 2, 9), swap(1, 1, 3, 2, 3, 8), read(2, 2, 10, 11));
        fails(MAP, write(0, 1, 0, 1), swap(0, 1, 2, 1, 2, 9), swap(1, 1, 3, 1, 3, 8));
        fails(MAP, write(0, 1, 0, 1), swap(0, 1, 2, 1, 2, 3), swap(1, 1, 3, 1, 4, 5));
        holds(MAP, write(0, 1, 0, 1), swap(0, 1, 2, 0, 2, Event.PENDING), read(1, 2, 3, 4));
    }

    @Test
    void aKeyIsInsertedOnceAndFoundAfterwards() {
        holds(SET, findOrPut(0, Event.INSERTED, 0, 3), findOrPut(1, Event.FOUND, 1, 2));
        fails(SET, findOrPut(0, Event.INSERTED, 0, 3), findOrPut(1, Event.INSERTED, 1, 2));
        fails(SET, findOrPut(1, Event.FOUND, 0, 1), findOrPut(0, Event.INSERTED, 2, 3));
        holds(SET, findOrPut(0, 0, 0, Event.PENDING), findOrPut(1, Event.FOUND, 1, 2));
        holds(SET, findOrPut(0, 0, 0, Event.PENDING), findOrPut(1, Event.INSERTED, 1, 2));
        fails(SET, findOrPut(0, Event.INSERTED, 0, 1), findOrPut(0, Event.FULL, 2, 3));
        holds(SET, findOrPut(0, Event.FULL, 0, 1), findOrPut(1, Event.INSERTED, 2, 3));
        holds(new LinearizabilityCheck<>(new FindOrPutSet(Set.of(1L))), findOrPut(0, Event.FOUND, 0, 1));
    }

    @Test
    void aKeyIsJudgedByItsOwnOperationsOnly() {
        Event other = new Event(0, READ, 2, 0, 0, 99, 0, 1);
        Verdict.NotLinearizable verdict = fails(MAP, write(0, 1, 0, 1), read(1, 1, 2, 3), other);
        assertThat(verdict.part().events()).containsExactly(other);
    }

    @Test
    void ofOperationsThatReturnTogetherTheCulpritIsTheOneThatIsNotExplained() {
        Event wrong = read(1, 9, 3, 6);
        assertThat(fails(MAP, write(0, 1, 0, 1), read(2, 1, 2, 6), wrong, read(3, 1, 4, 6))
                        .culprit())
                .isEqualTo(wrong);
        assertThat(fails(MAP, write(0, 1, 0, 1), wrong, read(2, 1, 2, 6), read(3, 1, 4, 6))
                        .culprit())
                .isEqualTo(wrong);
    }

    @Test
    void aBoundThatIsTooSmallDecidesNothing() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            events.add(write(i, i, i, 100));
        }
        events.add(read(20, 50, 101, 102));
        assertThat(new LinearizabilityCheck<>(new RegisterMap(), 100).check(new History(events)))
                .isInstanceOf(Verdict.Undecided.class);
    }

    /** Only one order of read-only operations is tried: few configurations suffice to refute the last one. */
    @Test
    void readsThatOverlapAreTriedInOneOrder() {
        List<Event> events = new ArrayList<>();
        events.add(write(0, 5, 0, 1));
        events.add(write(30, 7, 2, 100)); // before its turn no read is right
        for (int i = 1; i < 15; i++) {
            events.add(read(i, 5, 2 + i, 100));
        }
        events.add(read(20, 6, 101, 102));
        assertThat(new LinearizabilityCheck<>(new RegisterMap(), 16).check(new History(events)))
                .isInstanceOf(Verdict.NotLinearizable.class);
        assertThat(new LinearizabilityCheck<>(new RegisterMap(), 15).check(new History(events)))
                .isInstanceOf(Verdict.Undecided.class);
    }

    @Test
    void anOperationThatReturnsTwiceIsRefused() {
        Recording recording = new Recording(System::nanoTime);
        int read = recording.invoked(0, READ, 1, 0);
        recording.returned(read, 3);
        assertThatThrownBy(() -> recording.returned(read, 4)).hasMessageContaining("returned twice");
    }

    @Test
    void randomSmallHistoriesAreJudgedLikeByTryingAllOrders() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        int wrong = 0;
        for (int trial = 0; trial < 20_000; trial++) {
            List<Event> events = new ArrayList<>();
            int count = random.nextInt(1, 7);
            for (int i = 0; i < count; i++) {
                long from = random.nextInt(12);
                long to = random.nextInt(4) == 0 ? Event.PENDING : from + random.nextInt(1, 8);
                long value = random.nextInt(3);
                events.add(
                        switch (random.nextInt(4)) {
                            case 0 -> write(i, value, from, to);
                            case 1 -> swap(i, random.nextInt(3), value, random.nextInt(3), from, to);
                            case 2 -> event(i, DELETE, 0, random.nextBoolean() ? Event.DONE : Event.ABSENT, from, to);
                            default -> read(i, value == 0 ? Event.ABSENT : value, from, to);
                        });
            }
            boolean expected = someOrder(new RegisterMap(), events, Map.of());
            wrong += expected ? 0 : 1;
            assertThat(MAP.check(new History(events)) instanceof Verdict.Linearizable)
                    .as("seed %d, trial %d: %s", seed, trial, events)
                    .isEqualTo(expected);
        }
        assertThat(wrong).as("seed %d: both answers occur", seed).isBetween(2_000, 18_000);
    }

    /** Tries all orders of all keys together. */
    private static <S> boolean someOrder(Model<S> model, List<Event> left, Map<Long, S> states) {
        if (left.stream().allMatch(Event::pending)) {
            return true;
        }
        for (Event event : left) {
            boolean mayBeNext = left.stream().noneMatch(other -> other.returned() < event.invoked());
            S after = mayBeNext ? model.after(states.getOrDefault(event.key(), model.initial()), event) : null;
            if (after != null) {
                List<Event> rest = new ArrayList<>(left);
                rest.remove(event);
                Map<Long, S> changed = new HashMap<>(states);
                changed.put(event.key(), after);
                if (someOrder(model, rest, changed)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A valid history and single mutations: another result, an earlier return, a later invocation, two swapped. */
    private static List<Event> changed(SplittableRandom random, List<Event> right, List<Long> results) {
        List<Event> events = new ArrayList<>(right);
        int at = random.nextInt(events.size());
        Event event = events.get(at);
        switch (random.nextInt(4)) {
            case 0 -> events.set(at, with(event, results.get(random.nextInt(results.size()))));
            case 1 -> {
                long to = event.pending() ? event.invoked() + 1 : Math.max(event.invoked(), event.returned() - 90);
                events.set(at, between(event, event.invoked(), to));
            }
            case 2 -> {
                long from = event.pending() ? event.invoked() + 90 : Math.min(event.returned(), event.invoked() + 90);
                events.set(at, between(event, from, event.returned()));
            }
            default -> {
                int other = random.nextInt(events.size());
                long result = event.result();
                events.set(at, with(event, events.get(other).result()));
                events.set(other, with(events.get(other), result));
            }
        }
        return events;
    }

    private static Event between(Event event, long from, long to) {
        return new Event(
                event.client(),
                event.operation(),
                event.key(),
                event.argument(),
                event.expected(),
                event.result(),
                from,
                to);
    }

    /** Small valid histories, each changed a little: exactly the invalid ones are refused. */
    private static <S> void judgesChangedHistories(Model<S> model, Function<SplittableRandom, List<Event>> rights) {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        LinearizabilityCheck<S> check = new LinearizabilityCheck<>(model);
        int wrong = 0;
        for (int trial = 0; trial < 4_000; trial++) {
            List<Event> right = rights.apply(random);
            if (right.isEmpty()) {
                continue;
            }
            assertThat(check.check(new History(right)))
                    .as("seed %d, trial %d: %s", seed, trial, right)
                    .isInstanceOf(Verdict.Linearizable.class);
            List<Long> results = model instanceof FindOrPutSet
                    ? List.of(Event.FOUND, Event.INSERTED, Event.FULL)
                    : List.of(Event.ABSENT, Event.DONE, Event.REFUSED, 0L, 1L, 2L);
            List<Event> changed = changed(random, right, results);
            boolean expected = someOrder(model, changed, Map.of());
            wrong += expected ? 0 : 1;
            assertThat(check.check(new History(changed)) instanceof Verdict.Linearizable)
                    .as("seed %d, trial %d: %s", seed, trial, changed)
                    .isEqualTo(expected);
        }
        assertThat(wrong).as("seed %d: histories that are wrong", seed).isGreaterThan(500);
    }

    @Test
    void rightHistoriesOfAMapThatWereChangedAreJudgedLikeByTryingAllOrders() {
        judgesChangedHistories(
                new RegisterMap(), random -> generated(random, random.nextInt(1, 4), random.nextInt(3, 7), 2));
    }

    @Test
    void rightHistoriesOfAFindOrPutSetThatWereChangedAreJudgedLikeByTryingAllOrders() {
        judgesChangedHistories(new FindOrPutSet(Set.of(0L)), random -> {
            Set<Long> set = new HashSet<>(Set.of(0L));
            List<Event> events = new ArrayList<>();
            int count = random.nextInt(1, 7);
            for (int i = 0; i < count; i++) {
                long effect = 50L * i;
                long key = random.nextInt(3);
                boolean full = !set.contains(key) && random.nextInt(4) == 0;
                long result = full ? Event.FULL : set.add(key) ? Event.INSERTED : Event.FOUND;
                long to = random.nextInt(6) == 0 ? Event.PENDING : effect + random.nextInt(1, 100);
                events.add(new Event(i, FIND_OR_PUT, key, 0, 0, result, effect - random.nextInt(1, 100), to));
            }
            return events;
        });
    }

    /** Operations with an effect at one moment between invocation and return; some clients die. */
    private static List<Event> generated(SplittableRandom random, int clients, int operations, int keys) {
        record Made(long effect, Event event) {}
        List<Made> made = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            long now = random.nextInt(100);
            for (int i = 0; i < operations / clients; i++) {
                long from = now + random.nextInt(1, 20);
                long effect = from + random.nextInt(1, 100);
                long to = effect + random.nextInt(1, 100);
                boolean dies = random.nextInt(operations) < 3;
                Operation operation = random.nextInt(3) == 0 ? WRITE : random.nextInt(8) == 0 ? DELETE : READ;
                made.add(new Made(
                        dies && random.nextBoolean() ? Long.MAX_VALUE : effect,
                        new Event(
                                client,
                                operation,
                                random.nextInt(keys),
                                operation == WRITE ? random.nextInt(1000) : 0,
                                0,
                                0,
                                from,
                                dies ? Event.PENDING : to)));
                if (dies) {
                    break;
                }
                now = to;
            }
        }
        made.sort((a, b) -> Long.compare(a.effect, b.effect));
        Map<Long, Long> map = new HashMap<>();
        List<Event> events = new ArrayList<>();
        for (Made each : made) {
            Event event = each.event;
            long result = Event.DONE;
            if (each.effect != Long.MAX_VALUE) {
                switch (event.operation()) {
                    case WRITE -> map.put(event.key(), event.argument());
                    case DELETE -> map.remove(event.key());
                    default -> result = map.getOrDefault(event.key(), Event.ABSENT);
                }
            }
            events.add(with(event, result));
        }
        return events;
    }

    private static Event with(Event event, long result) {
        return new Event(
                event.client(),
                event.operation(),
                event.key(),
                event.argument(),
                0,
                result,
                event.invoked(),
                event.returned());
    }

    @Test
    void largeHistoriesOfATrueObjectAreLinearizableAndWithOneWrongReadTheyAreNot() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 20; trial++) {
            int clients = random.nextInt(2, 12);
            List<Event> events = generated(random, clients, 4000, random.nextInt(1, 9));
            assertThat(MAP.check(new History(events)))
                    .as("seed %d, trial %d", seed, trial)
                    .isInstanceOf(Verdict.Linearizable.class);

            int[] reads = java.util.stream.IntStream.range(0, events.size())
                    .filter(i ->
                            events.get(i).operation() == READ && !events.get(i).pending())
                    .toArray();
            int at = reads[random.nextInt(reads.length)];
            Event read = events.get(at);
            events.set(at, with(read, 1000));
            Verdict verdict = MAP.check(new History(events));
            assertThat(verdict).as("seed %d, trial %d", seed, trial).isInstanceOf(Verdict.NotLinearizable.class);
            assertThat(((Verdict.NotLinearizable) verdict).culprit())
                    .as("seed %d, trial %d", seed, trial)
                    .isEqualTo(with(read, 1000));
        }
    }

    /** A write that began and ended in between has overwritten the read's value. */
    @Test
    void largeHistoriesWithOneStaleReadAreNotLinearizable() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 20; trial++) {
            List<Event> events = generated(random, 6, 2000, 1);
            long end = events.stream()
                    .filter(event -> !event.pending())
                    .flatMapToLong(event -> LongStream.of(event.returned()))
                    .max()
                    .orElseThrow();
            // Pending writes could explain their own values; these are only written here.
            events.add(new Event(0, WRITE, 0, 5001, 0, Event.DONE, end + 1, end + 2));
            events.add(new Event(1, WRITE, 0, 5002, 0, Event.DONE, end + 3, end + 4));
            events.add(new Event(2, READ, 0, 0, 0, 5001, end + 5, end + 6));
            assertThat(MAP.check(new History(events)))
                    .as("seed %d, trial %d", seed, trial)
                    .isInstanceOf(Verdict.NotLinearizable.class);
        }
    }
}

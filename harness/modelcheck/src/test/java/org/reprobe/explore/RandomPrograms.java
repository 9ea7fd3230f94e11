package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/**
 * A few operations for each of two clients on two words, initially 0, and all possible outcomes. A step with
 * {@code ahead} is posted together with the next one.
 */
record RandomPrograms(List<List<Step>> clients) {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    enum Kind {
        READ,
        WRITE,
        SWAP
    }

    record Step(Kind kind, int word, int words, long value, long expected, boolean ahead) {}

    static RandomPrograms of(SplittableRandom random) {
        List<List<Step>> clients = new ArrayList<>();
        for (int client = 0; client < 2; client++) {
            List<Step> steps = new ArrayList<>();
            int count = random.nextInt(1, 4);
            for (int i = 0; i < count; i++) {
                Kind kind = Kind.values()[random.nextInt(3)];
                int words = kind == Kind.SWAP ? 1 : random.nextInt(1, 3);
                steps.add(new Step(
                        kind,
                        words == 2 ? 0 : random.nextInt(2),
                        words,
                        10 * client + i + 1,
                        random.nextInt(3),
                        i < count - 1 && random.nextInt(3) == 0));
            }
            clients.add(steps);
        }
        return new RandomPrograms(clients);
    }

    private static String outcome(long[][] logs, long[] memory) {
        return Arrays.deepToString(logs) + Arrays.toString(memory);
    }

    Set<String> outcomes() {
        Set<String> found = new TreeSet<>();
        go(new int[2], new int[2], new long[2], new long[2][8], found);
        return found;
    }

    private void go(int[] at, int[] done, long[] memory, long[][] logs, Set<String> found) {
        boolean over = true;
        for (int client = 0; client < 2; client++) {
            if (at[client] == clients.get(client).size()) {
                continue;
            }
            over = false;
            Step step = clients.get(client).get(at[client]);
            int[] nextAt = at.clone();
            int[] nextDone = done.clone();
            long[] nextMemory = memory.clone();
            long[][] nextLogs = {logs[0].clone(), logs[1].clone()};
            int word = step.word + done[client];
            int place = 2 * at[client] + done[client];
            switch (step.kind) {
                case READ -> nextLogs[client][place] = memory[word];
                case WRITE -> nextMemory[word] = step.value;
                case SWAP -> {
                    nextLogs[client][place] = memory[word];
                    if (memory[word] == step.expected) {
                        nextMemory[word] = step.value;
                    }
                }
            }
            if (++nextDone[client] == step.words) {
                nextDone[client] = 0;
                nextAt[client]++;
            }
            go(nextAt, nextDone, nextMemory, nextLogs, found);
        }
        if (over) {
            found.add(outcome(logs, memory));
        }
    }

    Trial trial(Consumer<String> met) {
        return new Trial() {
            private final long[][] logs = new long[2][];
            private MemorySegment memory = MemorySegment.NULL;
            private RemoteRegion region = new RemoteRegion(0, 0, 0);

            @Override
            public int clients() {
                return 2;
            }

            @Override
            public void build(Fabric fabric) throws FabricException {
                memory = fabric.allocate(16);
                region = fabric.register(memory);
            }

            @Override
            public void run(Client client, HistoryRecorder history) throws FabricException {
                long[] log = new long[8];
                logs[client.index()] = log;
                MemorySegment local = client.allocate(256);
                QueuePair queuePair = client.connect(local, new ConnectionOptions(16, 4));
                List<Step> steps = clients.get(client.index());
                Completions completions = new Completions(4);
                for (int i = 0; i < steps.size(); i++) {
                    post(queuePair, local, steps.get(i), i);
                    if (!steps.get(i).ahead) {
                        queuePair.doorbell();
                        for (boolean last = false; !last; ) {
                            queuePair.await(completions);
                            last = completions.id(completions.count() - 1) == i;
                        }
                    }
                }
                for (int i = 0; i < steps.size(); i++) {
                    if (steps.get(i).kind != Kind.WRITE) {
                        for (int word = 0; word < steps.get(i).words; word++) {
                            log[2 * i + word] = local.getAtIndex(LONG, 2 * i + word);
                        }
                    }
                }
            }

            private void post(QueuePair queuePair, MemorySegment local, Step step, int i) {
                long remote = region.address() + step.word * 8L;
                switch (step.kind) {
                    case READ -> queuePair.read(i, 16L * i, remote, region.key(), 8 * step.words, true);
                    case WRITE -> {
                        local.setAtIndex(LONG, 16 + 2L * i, step.value);
                        local.setAtIndex(LONG, 16 + 2L * i + 1, step.value);
                        queuePair.write(i, 128 + 16L * i, remote, region.key(), 8 * step.words, true);
                    }
                    case SWAP ->
                        queuePair.compareAndSwap(i, 16L * i, remote, region.key(), step.expected, step.value, true);
                }
            }

            @Override
            public @Nullable String violation(History history) {
                met.accept(outcome(logs, memory.toArray(LONG)));
                return null;
            }
        };
    }
}

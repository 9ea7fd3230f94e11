package org.reprobe.nessie;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.check.Event;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.Recording;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Timeline;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.remote.OperationResult;
import org.reprobe.testing.Seeds;

/**
 * Death of a client at each of its steps, among live clients; the server cleans up, and rejects their operations in
 * progress.
 */
class CleanUpTest {
    private static final long SEED = Seeds.seed();
    private static final int CLIENTS = 3;
    private static final int KEYS = 8;

    private final long[] refusals = new long[1];

    /** Returns a client whose {@code steps}-th and later doorbells are lost. */
    private static Client mortal(Client client, int steps) {
        int[] left = {steps};
        return (Client) Proxy.newProxyInstance(
                Client.class.getClassLoader(), new Class<?>[] {Client.class}, (_, method, arguments) -> {
                    Object result = call(client, method, arguments);
                    if (!(result instanceof QueuePair queuePair)) {
                        return result;
                    }
                    return Proxy.newProxyInstance(
                            QueuePair.class.getClassLoader(), new Class<?>[] {QueuePair.class}, (_, of, with) -> {
                                if (of.getName().equals("doorbell") && left[0]-- == 0) {
                                    throw new FabricException("dead");
                                }
                                return call(queuePair, of, with);
                            });
                });
    }

    private static Object call(Object on, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private long run(int steps, long seed) throws Exception {
        NicProfile jittery = TestCard.of(
                new NicProfile.Requester(1000, 100, 500, 4, 0, 3),
                new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                new NicProfile.Link(10e9, 1024, 0, 0));
        Geometry geometry = new Geometry(8, CLIENTS + 1, 60, 8);
        long[] time = new long[1];
        long ended;
        Recording recording = new Recording(() -> ++time[0]);
        try (SimFabric fabric = new SimFabric(jittery, CLIENTS, seed)) {
            MemorySegment memory = fabric.allocate(geometry.bytes());
            Nessie table =
                    new Nessie(geometry, fabric.register(memory), new int[CLIENTS + 1], Rules.CORRECTED, 500, 200);
            NessieServer server = new NessieServer(fabric, memory, table);
            ClientProgram program = client -> {
                boolean dies = client.index() == 0;
                ServerLink link = new ServerLink(client, client.index());
                Client mortal = dies ? mortal(client, steps) : client;
                NessieClient nessie = new NessieClient(mortal, table, client.index(), seed, link);
                SplittableRandom random = new SplittableRandom(seed * 31 + client.index());
                try {
                    for (int i = 0; i < 25; i++) {
                        operation(nessie, recording, client.index(), random, i);
                    }
                } catch (FabricException e) {
                    assertThat(e).hasMessage("dead");
                    link.settle(); // for the fabric, which does not kill simulated clients
                }
                client.barrier();
                if (client.index() == 1) {
                    for (long key = 0; key < KEYS; key++) {
                        int event = recording.invoked(1, Operation.READ, key, 0);
                        OperationResult result = nessie.read(key);
                        assertThat(result).as("no client waits for a dead one").isNotEqualTo(OperationResult.GAVE_UP);
                        recording.returned(event, result == OperationResult.DONE ? nessie.firstWord() : Event.ABSENT);
                    }
                }
                refusals[0] += nessie.steps().refusals();
            };
            fabric.run(CLIENTS, program, server);
            ended = server.counts().ended();
        }
        Verdict verdict = new LinearizabilityCheck<>(new RegisterMap()).check(recording.history());
        if (verdict instanceof Verdict.NotLinearizable broken) {
            throw new AssertionError("steps " + steps + ", seed " + seed + "\n" + Timeline.of(broken.part()));
        }
        return ended;
    }

    private static void operation(NessieClient nessie, Recording recording, int client, SplittableRandom random, int i)
            throws FabricException {
        long key = random.nextInt(KEYS);
        switch (random.nextInt(5)) {
            case 0 -> {
                int event = recording.invoked(client, Operation.DELETE, key, 0);
                if (nessie.delete(key) == OperationResult.DONE) {
                    recording.returned(event, Event.DONE);
                }
            }
            case 1 -> {
                int event = recording.invoked(client, Operation.READ, key, 0);
                OperationResult result = nessie.read(key);
                if (result != OperationResult.GAVE_UP) {
                    recording.returned(event, result == OperationResult.DONE ? nessie.firstWord() : Event.ABSENT);
                }
            }
            default -> {
                long value = client * 1000L + i;
                int event = recording.invoked(client, Operation.WRITE, key, value);
                OperationResult result = nessie.write(key, value);
                if (result != OperationResult.GAVE_UP) {
                    recording.returned(event, result == OperationResult.DONE ? Event.DONE : Event.REFUSED);
                }
            }
        }
    }

    @Test
    void aClientCrashAtAnyStepLeavesAUsableTable() throws Exception {
        long ended = 0;
        for (int steps = 1; steps < 60; steps++) {
            for (long seed = SEED; seed < SEED + 15; seed++) {
                ended += run(steps, seed);
            }
        }
        assertThat(ended).isPositive();
        assertThat(refusals[0]).isPositive();
    }
}

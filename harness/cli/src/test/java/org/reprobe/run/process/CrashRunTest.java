package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.check.Event;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.run.TinyScenario;
import org.reprobe.system.CrashTest;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Systems;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Seeds;

/** Real processes, of which one is killed; {@code check --fabric} runs for minutes. */
class CrashRunTest {
    private static final long SEED = Seeds.seed();

    private static CrashTest system(String scheme) {
        return ((CrashTestable) Systems.of(scheme)).crashTest();
    }

    private static CrashRun.Order order(String fabric, String scheme) {
        return new CrashRun.Order(fabric, scheme, 3_000, 2, 2, 1, SEED, TinyScenario.HOME);
    }

    static List<Arguments> systems() {
        return NightlyCases.of(
                "CrashRunTest.historiesWithAKilledProcessAreLinearizable",
                1,
                List.of(
                        Arguments.of("nessie", "shm"),
                        Arguments.of("pilaf", "tcp"),
                        Arguments.of("find-or-put", "shm")));
    }

    @ParameterizedTest
    @MethodSource("systems")
    void historiesWithAKilledProcessAreLinearizable(String scheme, String fabric) throws Exception {
        CrashRun.Result result = new CrashRun(order(fabric, scheme), system(scheme), () -> false).run();
        assertThat(result.wrong()).as("seed %d", SEED).isNull();
        assertThat(result.killed()).isEqualTo(1);
        assertThat(result.operations()).isGreaterThan(100);
        assertThat(result.pending()).as("of both clients of the process").isLessThanOrEqualTo(2);
        if (scheme.equals("nessie")) {
            assertThat(result.refused()).isEqualTo(1);
            assertThat(result.server()).containsEntry("clients declared dead", 2L);
            assertThat(result.server().get("revocations")).isPositive();
        }
    }

    /** Replies to clients are compared with the server's memory. */
    @Test
    @Nightly(besides = "histories with a killed process are linearizable")
    void aTableThatForgetsAKeyIsNotLinearizable() throws Exception {
        CrashTest forgetful = new Forgetful(system("find-or-put"));
        CrashRun.Result result = new CrashRun(order("shm", "find-or-put"), forgetful, () -> false).run();
        assertThat(result.wrong()).contains("find-or-put(7) -> inserted");
    }

    @Test
    void aRunThatIsStoppedEndsAsIfInterrupted() {
        assertThatThrownBy(() -> new CrashRun(order("shm", "pilaf"), system("pilaf"), () -> true).run())
                .isInstanceOf(InterruptedException.class);
    }

    /** Test whose final table lacks key 7. */
    private record Forgetful(CrashTest right) implements CrashTest {
        @Override
        public Model<?> model() {
            return right.model();
        }

        @Override
        public java.util.List<Operation> operations() {
            return right.operations();
        }

        @Override
        public Table serve(RegisteredMemory machine, Size size) throws FabricException {
            Table table = right.serve(machine, size);
            return new Table() {
                @Override
                public java.util.List<Served.Machine> machines() {
                    return ((ServerSide) table).machines();
                }

                @Override
                public Event read(int client, long key, long nowNs) {
                    return key == 7
                            ? new Event(client, Operation.FIND_OR_PUT, key, 0, 0, Event.INSERTED, nowNs, nowNs + 1)
                            : table.read(client, key, nowNs);
                }
            };
        }

        @Override
        public Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException {
            return right.connect(client, machine, size, seed);
        }
    }
}

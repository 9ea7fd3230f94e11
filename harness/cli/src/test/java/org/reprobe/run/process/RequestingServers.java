package org.reprobe.run.process;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.verb.VerbSystem;

/**
 * Clients that READ, on two machines that serve, of which the first READs a word of the second and requests the
 * successor of a number. A run with a wrong reply is invalid.
 */
public final class RequestingServers implements SystemUnderTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ConnectionOptions MESSAGES = new ConnectionOptions(4, 1, 2);
    private static final long ASKED = 41;
    private static final long WORD = 1000;

    private final VerbSystem verbs = new VerbSystem();

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("asking-servers", "Servers that send requests to each other"));
    }

    @Override
    public Set<String> reads(String scheme) {
        return Set.of("verb");
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new Asking(verbs.deployment(settings, nic, repeat));
    }

    private static final class Half implements ServerSide {
        private final int first;
        private final List<Served.Machine> machines;
        private volatile @Nullable Served all;
        private volatile long reply;

        Half(int first, List<Served.Machine> machines) {
            this.first = first;
            this.machines = machines;
        }

        @Override
        public List<Served.Machine> machines() {
            return machines;
        }

        @Override
        public void exchangeRegions(Served served) {
            all = served;
        }

        @Override
        public List<ServerProgram> programs() {
            List<ServerProgram> programs = new ArrayList<>();
            for (int i = 0; i < machines.size(); i++) {
                programs.add(first + i == 0 ? this::ask : this::answer);
            }
            return programs;
        }

        private void ask(Server server) throws FabricException {
            MemorySegment local = server.allocate(64);
            QueuePair other = server.connect(1, local, MESSAGES);
            RemoteRegion region = Objects.requireNonNull(all).regions().get(1);
            local.set(LONG, 0, ASKED);
            other.receive(1, 16, 8);
            other.read(2, 8, region.address(), region.key(), 8, false);
            other.send(3, 0, 8, false);
            other.doorbell();
            Completions completions = new Completions(1);
            for (Server.WakeReason reason = server.next(completions);
                    reason != Server.WakeReason.END;
                    reason = server.next(completions)) {
                if (reason == Server.WakeReason.CONNECTION) {
                    server.accept(server.allocate(64), MESSAGES);
                } else if (reason == Server.WakeReason.COMPLETIONS && completions.received(0)) {
                    reply = local.get(LONG, 8) + local.get(LONG, 16);
                }
            }
        }

        private void answer(Server server) throws FabricException {
            MemorySegment local = server.allocate(64);
            QueuePair end = server.accept(local, MESSAGES);
            if (end == null) {
                return;
            }
            end.receive(1, 0, 8);
            Completions completions = new Completions(1);
            while (server.await(completions) > 0) {
                if (completions.received(0)) {
                    local.set(LONG, 8, local.get(LONG, 0) + 1);
                    end.send(2, 8, 8, false);
                    end.doorbell();
                }
            }
        }

        @Override
        public @Nullable String verificationFailure(Counts counts) {
            return first > 0 || reply == WORD + ASKED + 1 ? null : "the first server got the reply " + reply;
        }
    }

    private static final class Asking extends ForwardingDeployment {
        Asking(Deployment verbs) {
            super(verbs);
        }

        @Override
        public boolean clientsServe() {
            return true;
        }

        @Override
        public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
                throws FabricException {
            List<Served.Machine> served = new ArrayList<>();
            for (RegisteredMemory machine : machines) {
                MemorySegment memory = machine.allocate(64);
                memory.set(LONG, 0, WORD);
                served.add(new Served.Machine(machine.register(memory)));
            }
            return new Half(first, served);
        }
    }
}

package org.reprobe.run.process;

import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Workload;
import org.reprobe.verb.VerbSystem;

/**
 * Clients that SEND and wait for replies of a server program that fails at the first message, or of one that fails a
 * moment after its clients.
 */
public final class FailingServer implements SystemUnderTest {
    static final String WORDS = "the table has caught fire";

    private static final String LATE = "failing-late";
    private static final long LATE_NS = 200_000_000;

    private final VerbSystem verbs = new VerbSystem();

    @Override
    public List<Scheme> schemes() {
        return List.of(
                new Scheme("failing-server", "A server that fails"),
                new Scheme(LATE, "A server that fails after its clients"));
    }

    @Override
    public Set<String> reads(String scheme) {
        return Set.of("verb");
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        Deployment sound = verbs.deployment(settings, nic, repeat);
        return settings.scheme().equals(LATE)
                ? new FailingLate(sound)
                : new Failing(sound, settings.clients().total());
    }

    private record Half(List<Served.Machine> machines, ServerProgram program) implements ServerSide {}

    private static final class Failing extends ForwardingDeployment {
        private final int clientCount;

        Failing(Deployment sound, int clientCount) {
            super(sound);
            this.clientCount = clientCount;
        }

        @Override
        public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
                throws FabricException {
            return new Half(super.serve(first, machines, content).machines(), this::fail);
        }

        private void fail(Server server) throws FabricException {
            for (int i = 0; i < clientCount; i++) {
                var end = server.accept(server.allocate(64), new ConnectionOptions(4, 4, 4));
                if (end != null) {
                    end.receive(1, 0, 8);
                }
            }
            server.await(new Completions(16));
            throw new FabricException(WORDS);
        }
    }

    private static final class FailingLate extends ForwardingDeployment {
        FailingLate(Deployment sound) {
            super(sound);
        }

        @Override
        public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
                throws FabricException {
            return new Half(super.serve(first, machines, content).machines(), _ -> {
                LockSupport.parkNanos(LATE_NS);
                throw new FabricException(WORDS);
            });
        }

        @Override
        public Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException {
            throw new FabricException("the clients lost the server");
        }
    }
}

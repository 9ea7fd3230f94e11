package org.reprobe.verb;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Scheme;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Workload;

/** Scheme {@code verb}: clients with one operation in flight, to measure the latency of a verb. */
public final class VerbSystem implements SystemUnderTest {

    @Section(name = "verb", meaning = "Scheme verb: clients with one operation at a time.")
    public record VerbSettings(
            @Key(
                    byDefault = "read",
                    meaning = "The operation. send: the server replies to each SEND with a SEND of the same length.")
            VerbWorkload.Verb kind,

            @Key(
                    byDefault = "8",
                    min = 1,
                    max = 1 << 20,
                    meaning = "Payload of an operation in bytes; always 8 for compare-and-swap.")
            int bytes) {}

    @Override
    public int position() {
        return 5;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("verb", "One operation at a time"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(VerbSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(FaultKeys.READ);
        keys.add("verb");
        return keys;
    }

    @Override
    public Map<String, String> alternatives() {
        return RemoteSystems.ONE_AT_A_TIME;
    }

    @Override
    public void check(CellCheck cell) {
        FaultKeys.check(cell);
        if (cell.settings().section(VerbSettings.class).kind() == VerbWorkload.Verb.COMPARE_AND_SWAP) {
            RemoteSystems.checkAtomics(cell);
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new VerbDeployment(settings, repeat);
    }

    private static final class VerbDeployment extends RemoteDeployment {
        private final VerbSettings verb;

        VerbDeployment(Settings settings, int repeat) {
            super(settings, repeat);
            this.verb = settings.section(VerbSettings.class);
        }

        private long bufferBytes() {
            return Math.max(Long.BYTES, verb.bytes());
        }

        private VerbWorkload workload(RemoteRegion region, long warmUpNs, long durationNs) {
            return new VerbWorkload(
                    new VerbWorkload.Parameters(
                            region,
                            verb.kind(),
                            verb.bytes(),
                            warmUpNs,
                            durationNs,
                            settings().conditions()),
                    clients());
        }

        @Override
        public MemoryNeed memory() {
            long ofClient = VerbWorkload.localBytes(verb.bytes());
            boolean served = verb.kind() == VerbWorkload.Verb.SEND;
            return new MemoryNeed(
                    bufferBytes() + clients() * (served ? ofClient + ofClient / 2 : ofClient), clientHeapBytes());
        }

        @Override
        public String codePath() {
            return super.codePath() + " " + verb.kind();
        }

        private record Half(
                List<Served.Machine> machines, @Nullable ServerProgram program) implements ServerSide {}

        @Override
        public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
                throws FabricException {
            RegisteredMemory machine = machines.getFirst();
            RemoteRegion region = machine.register(machine.allocate(bufferBytes()));
            VerbWorkload workload = workload(region, 0, 0);
            return new Half(List.of(new Served.Machine(region)), workload.needsServer() ? workload::answer : null);
        }

        @Override
        public Workload clients(Served served, Settings.Measure measure, long runSeed) {
            return workload(served.region(), measure.warmUpNs(), measure.durationNs());
        }
    }
}

package org.reprobe.verb;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;

/**
 * Requests of a card without a table. Scheme {@code verb} measures latency and rate of one kind of request; scheme
 * {@code compare-and-swap} posts batches of COMPARE_AND_SWAP on {@code table.records} words.
 */
public final class VerbSystem implements SystemUnderTest {
    static final String COMPARE_AND_SWAP = "compare-and-swap";

    @Override
    public int position() {
        return 5;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme(COMPARE_AND_SWAP, "Compare-and-swap"), new Scheme("verb", "Single requests"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(VerbSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(FaultKeys.READ);
        keys.add("connection.outstanding-reads");
        keys.addAll(
                scheme.equals(COMPARE_AND_SWAP) ? Set.of("connection.send-queue", "table.records") : Set.of("verb"));
        return keys;
    }

    @Override
    public Map<String, String> alternatives() {
        return Map.of(
                "load.rate-per-s", "its clients keep a number of requests in flight; use verb.in-flight",
                "connection.send-queue", "use verb.in-flight and verb.batch");
    }

    @Override
    public void check(CellCheck cell) {
        FaultKeys.check(cell);
        if (cell.settings().scheme().equals(COMPARE_AND_SWAP)) {
            VerbChecks.checkCompareAndSwap(cell);
        } else {
            VerbChecks.check(cell);
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        boolean compareAndSwap = settings.scheme().equals(COMPARE_AND_SWAP);
        VerbSettings verb = compareAndSwap
                ? VerbSettings.compareAndSwaps(
                        settings.table().records(),
                        Math.max(1, settings.connection().sendQueue()))
                : settings.section(VerbSettings.class);
        boolean write = compareAndSwap || verb.kind() == VerbSettings.Kind.WRITE;
        return verb.isWritePingPong()
                ? new WritePingPongDeployment(settings, repeat, verb)
                : new VerbDeployment(settings, repeat, verb, write);
    }
}

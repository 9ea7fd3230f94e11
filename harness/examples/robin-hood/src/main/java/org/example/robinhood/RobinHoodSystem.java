package org.example.robinhood;

import java.util.List;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Plannable;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;

/** Robin Hood linear probing (Celis, Larson and Munro, FOCS 1985), read by one-sided READs. */
public final class RobinHoodSystem implements Plannable {
    private static final long MAX_RECORDS = 1L << 28;

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("robin-hood", "Robin Hood"));
    }

    @Override
    public List<PlannedScheme> planned() {
        return schemes().stream()
                .<PlannedScheme>map(scheme -> new PlannedRobinHood(scheme.name(), scheme.title()))
                .toList();
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(RobinHoodSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return Set.of("load-factor", "table.records", "workload.keys", "workload.theta", "robin-hood");
    }

    @Override
    public void check(CellCheck cell) {
        RemoteSystems.checkKeys(cell);
        if (cell.settings().table().records() > MAX_RECORDS) {
            cell.reportProblem(
                    "%d records: robin-hood takes at most %d"
                            .formatted(cell.settings().table().records(), MAX_RECORDS),
                    "table.records",
                    "scheme");
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new RobinHoodDeployment(settings, repeat);
    }
}

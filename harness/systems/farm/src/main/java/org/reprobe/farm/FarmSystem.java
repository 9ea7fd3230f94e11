package org.reprobe.farm;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.trials.FarmTrials;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.MachinesTest;
import org.reprobe.system.MachinesTestable;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.trial.SystemTrials;

/** FaRM (2014): a hash table, transactions and a graph in all machines' memories, by READs and by messages. */
public final class FarmSystem implements Explorable, MachinesTestable {
    private static final List<FarmScheme> SCHEMES =
            List.of(new LookupsByReads(), new LookupsByMessages(), new TransactionsScheme(), new TaoScheme());

    private static FarmScheme named(String name) {
        return SCHEMES.stream()
                .filter(each -> each.scheme().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not a scheme of FaRM: " + name));
    }

    @Override
    public int position() {
        return 6;
    }

    @Override
    public List<Scheme> schemes() {
        return SCHEMES.stream().map(FarmScheme::scheme).toList();
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(FarmSettings.class, TransactionSettings.class, TaoSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return named(scheme).reads();
    }

    @Override
    public Map<String, String> alternatives() {
        return Map.of(
                "connection.send-queue", "use farm.in-flight",
                "load.rate-per-s", "its threads begin a lookup when another has ended; use farm.in-flight");
    }

    @Override
    public void check(CellCheck cell) {
        named(cell.settings().scheme()).check(cell);
    }

    @Override
    public MachinesTest machinesTest() {
        return TransactionsMachinesTest.SMALL;
    }

    @Override
    public SystemTrials trials() {
        return FarmTrials.all();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return named(settings.scheme()).deployment(settings, nic, repeat);
    }
}

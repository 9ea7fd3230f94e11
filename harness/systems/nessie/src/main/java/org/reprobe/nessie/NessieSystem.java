package org.reprobe.nessie;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.nessie.trials.NessieCrashTest;
import org.reprobe.nessie.trials.NessieTrials;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.CrashTest;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.KnownFault;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.trial.SystemTrials;

/** Nessie (WRSC 2014): clients read and write a cuckoo table by one-sided operations. */
public final class NessieSystem implements Explorable, CrashTestable {

    @Override
    public int position() {
        return 2;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("nessie", "Nessie"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(NessieSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return RemoteSystems.keyValue("nessie");
    }

    @Override
    public Map<String, String> alternatives() {
        return RemoteSystems.ONE_AT_A_TIME;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        NessieSettings nessie = settings.section(NessieSettings.class);
        RemoteSystems.checkAtomics(cell);
        RemoteSystems.check(
                cell,
                settings.table().records() + (long) settings.clients().total() * (1 + nessie.spareItems()),
                "nessie.spare-items",
                nessie.growth());
        RemoteSystems.checkNamed(cell, "nessie.new-keys");
        if (nessie.alwaysPossible() && !nessie.newKeys()) {
            cell.reportProblem(
                    "always-possible applies to writes of new keys; it requires new-keys: true",
                    "nessie.always-possible",
                    "nessie.new-keys");
        }
        if (nessie.alwaysPossible() && settings.isReal()) {
            cell.reportProblem(
                    "always-possible reads the server's memory while clients write, which only fabric sim allows; on fabric "
                            + settings.fabric() + " use false, and nessie.growth for keys that clients cannot place",
                    "nessie.always-possible",
                    "fabric");
        }
        if (nessie.rules().byTransactions()) {
            checkTransactions(cell, nessie);
        }
        if (nessie.growth() > 0 && nessie.rules() != Rules.CORRECTED) {
            cell.reportProblem(
                    "the server program requires rules corrected; with rules "
                            + nessie.rules().key() + " use growth 0",
                    "nessie.growth",
                    "nessie.rules");
        }
    }

    private static void checkTransactions(CellCheck cell, NessieSettings nessie) {
        Settings settings = cell.settings();
        String rules = nessie.rules().key();
        if (settings.isReal()) {
            cell.reportProblem(
                    "rules " + rules + " require a card with remote transactions, which no real card has; on fabric "
                            + settings.fabric() + " use corrected or printed, or use fabric sim",
                    "nessie.rules",
                    "fabric");
            return;
        }
        NicProfile nic = cell.nic();
        int words = TransactionalOperations.maxWords(
                nessie.rules(), Geometry.itemBytes(settings.table().recordBytes() - Long.BYTES));
        if (nic != null && nic.transactions().words() < words) {
            cell.reportProblem(
                    "rules %s require a card with remote transactions of %d words, which %s does not have; use one with a section transactions, such as rhtm-40g"
                            .formatted(rules, words, settings.nic()),
                    "nessie.rules",
                    "nic");
        }
    }

    @Override
    public SystemTrials trials() {
        return NessieTrials.all();
    }

    @Override
    public Optional<KnownFault> knownFault(Settings settings) {
        return settings.section(NessieSettings.class).rules() != Rules.PRINTED
                ? Optional.empty()
                : Optional.of(new KnownFault(
                        "nessie.rules: printed",
                        "the paper's algorithms are not linearizable: a read may miss a key that is being moved, or return an item"
                                + " that was reused",
                        "nessie-printed"));
    }

    @Override
    public CrashTest crashTest() {
        return new NessieCrashTest();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new NessieDeployment(settings, repeat);
    }
}

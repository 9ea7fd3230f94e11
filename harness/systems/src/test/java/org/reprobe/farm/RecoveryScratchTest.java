package org.reprobe.farm;

import java.util.List;
import org.reprobe.explore.*;
import org.reprobe.farm.RecoveryTrial.*;

class RecoveryScratchTest {
    public static void main(String[] a) throws Exception {
        int machines = Integer.getInteger("machines", 2);
        int n = Integer.getInteger("n", 1000);
        long seed = Long.getLong("seed", 1);
        Fault fault = Fault.valueOf(System.getProperty("fault", "NONE"));
        DistributedTransaction.Rules rules = DistributedTransaction.Rules.RECOVERABLE;
        if (System.getProperty("says") != null) rules = rules.saying(DistributedTransaction.Says.valueOf(System.getProperty("says")));
        Setting setting = new Setting(machines, 2, Integer.getInteger("replicas", 1), Integer.getInteger("renewals", 1), 3, rules, fault);
        String which = System.getProperty("which", "a");
        var trial = switch (which) {
            case "a" -> new RecoveryTrial(setting, DistributedTrial.update(List.of(), 0L, 1L), DistributedTrial.reads(0L, 1L), DistributedTrial.reads());
            case "b" -> new RecoveryTrial(setting, DistributedTrial.update(List.of(0L), 1L), DistributedTrial.update(List.of(1L), 0L), DistributedTrial.reads());
            default -> new RecoveryTrial(setting, DistributedTrial.update(List.of(0L, 1L)), DistributedTrial.update(List.of(), 0L, 1L), DistributedTrial.reads());
        };
        ExplorationLimits limits = FarmTrials.DISTRIBUTED.withFailures(Integer.getInteger("failures", 1)).withPauses(1000);
        long t = System.nanoTime();
        var e = new Exploration(trial, limits);
        ExplorationOutcome o = Integer.getInteger("switches", -1) >= 0 ? e.exhaustive(Integer.getInteger("switches"), n) : e.random(seed, n);
        System.out.println("OUT " + which + " " + fault + " " + o.schedules() + " schedules, states " + o.states() + ", cut " + o.cut() + " faulty " + o.faulty() + " exhausted " + o + " s " + (System.nanoTime() - t) / 1e9);
        if (o.counterexample() != null) { System.out.println("WRONG " + o.counterexample().wrong() + "\n" + o.counterexample().timeline()); }
    }
}

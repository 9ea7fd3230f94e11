package org.reprobe.findorput;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.findorput.trials.FindOrPutCrashTest;
import org.reprobe.findorput.trials.FindOrPutTrials;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.CrashTest;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.trial.SystemTrials;

/** find-or-put (PPAM 2015): a set distributed over the memories of the machines that use it. */
public final class FindOrPutSystem implements Explorable, CrashTestable {

    /** Keys of section {@code find-or-put}; 0 buckets are for adaptive chunks, 0 active processes for all. */
    @Section(name = "find-or-put", meaning = "Scheme find-or-put: a set spread over the client machines themselves.")
    public record FindOrPutSettings(
            @Key(byDefault = "32", min = 1, max = 1 << 16, or = "adaptive", meaning = """
                    C: buckets per chunk. adaptive: each process estimates the load factor, for which the read-size model gives C.""")
            int chunkBuckets,

            @Key(byDefault = "32", min = 1, max = 1 << 20, meaning = "M: maximum number of chunks examined.")
            int chunks,

            @Key(byDefault = "all", min = 1, max = 1 << 20, or = "all", meaning = """
                    Number of processes that issue operations; the others only hold their parts of the table.""")
            int active) {}

    @Override
    public int position() {
        return 4;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("find-or-put", "find-or-put"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(FindOrPutSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(FaultKeys.READ);
        keys.addAll(List.of("nic", "load-factor", "table.records", "workload.writes", "find-or-put"));
        return keys;
    }

    @Override
    public Map<String, String> alternatives() {
        return RemoteSystems.ONE_AT_A_TIME;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        RemoteSystems.checkAtomics(cell);
        FaultKeys.check(cell);
        RemoteSystems.checkSlots(cell, 1);
        if (settings.table().records() < settings.clients().machines()) {
            cell.reportProblem(
                    "%d records cannot be distributed over %d machines"
                            .formatted(
                                    settings.table().records(),
                                    settings.clients().machines()),
                    "table.records",
                    "clients.machines");
        }
    }

    @Override
    public SystemTrials trials() {
        return FindOrPutTrials.all();
    }

    @Override
    public CrashTest crashTest() {
        return new FindOrPutCrashTest();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new FindOrPutDeployment(settings, nic, repeat);
    }
}

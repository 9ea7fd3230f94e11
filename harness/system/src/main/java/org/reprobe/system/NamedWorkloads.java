package org.reprobe.system;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.NamedWorkload;
import org.reprobe.workload.NamedWorkload.Writes;
import org.reprobe.workload.ScrambledZipf;

public final class NamedWorkloads {
    public static final String KEY = "workload.name";

    private NamedWorkloads() {}

    /** Reports a named workload with writes that a scheme can't do; {@code why} ends the message of each such kind. */
    public static void check(CellCheck cell, Set<Writes> can, Map<Writes, String> why) {
        Settings settings = cell.settings();
        NamedWorkload name = settings.workload().name();
        if (name.scans()) {
            cell.reportProblem(
                    "ycsb-e scans ranges of keys, and the keys of hash tables have no order: use another of ycsb-a to ycsb-f",
                    KEY,
                    "scheme");
        } else if (name.writes() > 0 && !can.contains(name.kind())) {
            cell.reportProblem(
                    "%s %s, and %s %s"
                            .formatted(
                                    name.key(),
                                    switch (name.kind()) {
                                        case UPDATE -> "updates records";
                                        case READ_MODIFY_WRITE -> "reads records and then updates them";
                                        case INSERT -> "inserts records";
                                    },
                                    settings.scheme(),
                                    why.getOrDefault(name.kind(), "does not")),
                    KEY,
                    "scheme");
        }
    }

    /** Returns, by key, the reasons why settings that contradict the named workload are refused. */
    public static Map<String, String> contradictions(Settings settings) {
        Settings.Workload given = settings.section(Settings.Workload.class);
        NamedWorkload name = given.name();
        Map<String, String> contradictions = new LinkedHashMap<>();
        if (name != NamedWorkload.OWN) {
            if (given.keys() != Distribution.ZIPF) {
                contradictions.put("workload.keys", sets(name, "zipf"));
            }
            if (given.theta() != ScrambledZipf.THETA) {
                contradictions.put("workload.theta", sets(name, String.valueOf(ScrambledZipf.THETA)));
            }
            if (given.writes() != name.writes()) {
                contradictions.put("workload.writes", sets(name, String.valueOf(name.writes())));
            }
        }
        return contradictions;
    }

    /** Returns the values that the named workload sets, by key and as they appear in cells; empty without one. */
    public static Map<String, Object> values(Settings settings) {
        Settings.Workload workload = settings.workload();
        return workload.isNamed()
                ? Map.of(
                        "workload.keys",
                        "zipf",
                        "workload.theta",
                        workload.theta(),
                        "workload.writes",
                        workload.writes())
                : Map.of();
    }

    private static String sets(NamedWorkload name, String value) {
        return "workload.name is %s, which sets it to %s; remove one of the two".formatted(name.key(), value);
    }
}

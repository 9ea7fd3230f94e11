package org.reprobe.run;

import java.util.Map;
import org.reprobe.analysis.measurement.Kind;

/** Record of profiling in results. */
public final class Profiling {
    /** Key in {@code environment.json} and in settings: measured runs with and without profiling are not comparable. */
    public static final String FACT = "profiled";

    /** Folder of recordings in results, and in those of each of several scenarios. */
    public static final String FOLDER = "profiles";

    private Profiling() {}

    /** Returns true if this Java can record: a runtime may lack the module. */
    public static boolean isPossible() {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent();
    }

    public static String words(RunPlan plan) {
        boolean measured = plan.units().stream().anyMatch(unit -> unit.kind() == Kind.MEASURED);
        return "by Flight Recorder, settings profile, into " + FOLDER + "/"
                + (measured
                        ? "; it takes part of the time, so measured numbers are not comparable with others"
                        : "; virtual time does not depend on it");
    }

    public static boolean isOf(Map<String, String> environment) {
        return environment.containsKey(FACT);
    }
}

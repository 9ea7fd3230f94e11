package org.reprobe.run;

import java.util.Map;
import org.reprobe.analysis.measurement.Kind;

/** What it means that runs were profiled, as results record it. */
public final class Profiling {
    /** In {@code environment.json}, and of settings: measured runs with and without are not comparable. */
    public static final String FACT = "profiled";

    /** The folder of recordings in results, and in those of each of several scenarios. */
    public static final String FOLDER = "profiles";

    private Profiling() {}

    /** Whether this Java can record: a runtime may lack the module. */
    public static boolean isPossible() {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent();
    }

    /** The fact's words. */
    public static String words(RunPlan plan) {
        boolean measured = plan.units().stream().anyMatch(unit -> unit.kind() == Kind.MEASURED);
        return "by Flight Recorder, settings profile, into " + FOLDER + "/"
                + (measured
                        ? "; it takes part of the time, so measured numbers are not comparable with others"
                        : "; virtual time does not depend on it");
    }

    /** Whether results with an environment were profiled. */
    public static boolean isOf(Map<String, String> environment) {
        return environment.containsKey(FACT);
    }
}

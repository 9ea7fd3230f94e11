package org.reprobe.system;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.trial.SystemTrials;

/** All systems: those that Reprobe comes with and those on the class path besides. */
public final class Systems {
    private static final List<SystemUnderTest> ALL = load();
    private static final Map<String, SystemUnderTest> BY_SCHEME = byScheme();

    private Systems() {}

    private static List<SystemUnderTest> load() {
        List<SystemUnderTest> all = new ArrayList<>();
        try {
            ServiceLoader.load(SystemUnderTest.class).forEach(all::add);
        } catch (ServiceConfigurationError | LinkageError e) {
            String what = String.valueOf(e.getMessage()).replace(SystemUnderTest.class.getName() + ": ", "");
            throw new UnusableSystemException("a system can't be loaded: " + what
                    + (e.getCause() == null ? "" : " (" + e.getCause() + ")")
                    + "\nJars name theirs in META-INF/services/" + SystemUnderTest.class.getName() + ".");
        }
        // The order of jars on a class path is undefined. Systems of one package stay as they are registered.
        all.sort(Comparator.comparingInt(SystemUnderTest::position)
                .thenComparing(system -> !system.getClass().getPackageName().startsWith("org.reprobe."))
                .thenComparing(system -> system.getClass().getPackageName()));
        return List.copyOf(all);
    }

    private static Map<String, SystemUnderTest> byScheme() {
        Map<String, SystemUnderTest> byScheme = new LinkedHashMap<>();
        for (SystemUnderTest system : ALL) {
            for (Scheme scheme : system.schemes()) {
                SystemUnderTest other = byScheme.put(scheme.name(), system);
                if (other != null) {
                    throw new UnusableSystemException("two systems have a scheme " + scheme.name() + ": "
                            + other.getClass().getName() + " and "
                            + system.getClass().getName());
                }
            }
        }
        return byScheme;
    }

    /** In the order in which they are registered. */
    public static List<SystemUnderTest> all() {
        return ALL;
    }

    /** All schemes, in the order in which they are shown. */
    public static List<Scheme> schemes() {
        return ALL.stream().flatMap(system -> system.schemes().stream()).toList();
    }

    /** Returns all systems that have a capability, such as {@link Explorable}, in the same order. */
    public static <T extends SystemUnderTest> List<T> with(Class<T> capability) {
        return ALL.stream().filter(capability::isInstance).map(capability::cast).toList();
    }

    /** Returns what {@code check} explores of each system, in the same order. */
    public static List<SystemTrials> trials() {
        return with(Explorable.class).stream().map(Explorable::trials).toList();
    }

    /** Returns the schemes that {@code plan} may choose, of all systems in the same order. */
    public static List<PlannedScheme> planned() {
        return with(Plannable.class).stream()
                .flatMap(system -> system.planned().stream())
                .toList();
    }

    /** Whether a key of a scenario file has an effect on a scheme: it, or all of its section, is among what the system reads. */
    public static boolean reads(SystemUnderTest system, String scheme, String key) {
        Set<String> read = system.reads(scheme);
        int dot = key.indexOf('.');
        return read.contains(key) || (dot > 0 && read.contains(key.substring(0, dot)));
    }

    /**
     * The system that a scheme is of.
     *
     * @throws IllegalArgumentException when there is no such scheme
     */
    public static SystemUnderTest of(String scheme) {
        SystemUnderTest system = BY_SCHEME.get(scheme);
        if (system == null) {
            throw new IllegalArgumentException("unknown scheme \"" + scheme + "\"");
        }
        return system;
    }
}

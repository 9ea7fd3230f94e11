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

/** Registry of systems: Reprobe's own and others on the class path. */
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
        // The order of jars on a class path is undefined. Systems of one package keep the order of their registration.
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

    /** Returns all systems by {@link SystemUnderTest#position}. */
    public static List<SystemUnderTest> all() {
        return ALL;
    }

    /** Returns the schemes of all systems. */
    public static List<Scheme> schemes() {
        return ALL.stream().flatMap(system -> system.schemes().stream()).toList();
    }

    /** Returns all systems with a capability, such as {@link Explorable}, in the order of {@link #all}. */
    public static <T extends SystemUnderTest> List<T> with(Class<T> capability) {
        return ALL.stream().filter(capability::isInstance).map(capability::cast).toList();
    }

    public static List<SystemTrials> trials() {
        return with(Explorable.class).stream().map(Explorable::trials).toList();
    }

    public static List<PlannedScheme> planned() {
        return with(Plannable.class).stream()
                .flatMap(system -> system.planned().stream())
                .toList();
    }

    /** Returns true if a key of a scenario file has an effect on a scheme: the system reads the key or its section. */
    public static boolean reads(SystemUnderTest system, String scheme, String key) {
        Set<String> read = system.reads(scheme);
        int dot = key.indexOf('.');
        return read.contains(key) || (dot > 0 && read.contains(key.substring(0, dot)));
    }

    /** Returns the system of a scheme; throws an {@link IllegalArgumentException} if the scheme is unknown. */
    public static SystemUnderTest of(String scheme) {
        SystemUnderTest system = BY_SCHEME.get(scheme);
        if (system == null) {
            throw new IllegalArgumentException("unknown scheme \"" + scheme + "\"");
        }
        return system;
    }
}

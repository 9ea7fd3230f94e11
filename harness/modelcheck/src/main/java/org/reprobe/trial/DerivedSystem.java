package org.reprobe.trial;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.explore.Trial;

/**
 * A protocol whose small configurations are derived, not picked: see {@link Configurations}.
 *
 * @param name for the command line, which adds {@code -derived}
 * @param title what clients do, for people
 * @param usual configurations after which every branch of the protocol has been taken, but for those that a list says can't be
 *     or are open
 * @param kinds of configurations; of those with broken connections or failing machines, which have too many schedules, only those
 *     that come first
 * @param trials makes the trial of a configuration's text. Has a public constructor without parameters, since explorations load
 *     its package once more. Beside it may be two lists: {@code sharpest-configurations.txt}, which come first, and {@code
 *     unreachable-branches.txt}, with the reasons
 * @param types classes whose branches are the protocol's decisions; their sources, too, are to be had as resources
 */
public record DerivedSystem(
        String name,
        String title,
        int usual,
        List<ConfigurationKind> kinds,
        Class<? extends Function<String, Trial>> trials,
        List<Class<?>> types) {
    private static final String SHARPEST = "sharpest-configurations.txt";
    private static final String UNREACHABLE = "unreachable-branches.txt";

    public DerivedSystem {
        kinds = List.copyOf(kinds);
        types = List.copyOf(types);
    }

    /** For the command line. */
    public String id() {
        return name + "-derived";
    }

    /** Full names of the classes whose branches are the protocol's decisions. */
    List<String> typeNames() {
        return types.stream().<String>map(Class::getName).toList();
    }

    /** Packages that an exploration of marked classes loads once more. */
    Set<String> packages() {
        Set<String> names = new TreeSet<>(List.of(trials.getPackageName()));
        types.forEach(type -> names.add(type.getPackageName()));
        return names;
    }

    /** In the order in which they are explored: first those that have shown most, then all in turn. */
    public Iterator<String> configurations() {
        Configurations all = new Configurations(kinds);
        Iterator<String> sharpest = sharpest().iterator();
        return new Iterator<>() {
            private final Set<String> given = new HashSet<>();
            private @Nullable String next;

            @Override
            public boolean hasNext() {
                while (next == null && (sharpest.hasNext() || all.hasNext())) {
                    String text =
                            sharpest.hasNext() ? sharpest.next() : all.next().toString();
                    if (given.add(text)) {
                        next = text;
                    }
                }
                return next != null;
            }

            @Override
            public String next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                String found = Objects.requireNonNull(next);
                next = null;
                return found;
            }
        };
    }

    /** Those that the system's list has: see what it says at its top. */
    List<String> sharpest() {
        return lines(SHARPEST).stream()
                .filter(line -> kinds.stream().anyMatch(kind -> line.startsWith(kind.name() + ":")))
                .toList();
    }

    /** The list of branches that no configuration can take. */
    List<String> unreachable() {
        return lines(UNREACHABLE);
    }

    /** Lines of a list beside the trials that are no comments; none when there is no such list. */
    private List<String> lines(String list) {
        try (InputStream in = trials.getResourceAsStream(list)) {
            return in == null
                    ? List.of()
                    : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many configurations there are, those counted apart that differ in names only. */
    public double combinations() {
        return new Configurations(kinds).combinations();
    }

    /** Returns the configuration of a text, ready to be explored; null when it is none of this system. */
    public @Nullable CheckedSystem configuration(String text) {
        Configuration found = Configuration.of(text, kinds);
        return found == null
                ? null
                : new CheckedSystem(text, "derived", false, found.kind().limits(), 1, () -> trial(trials, text));
    }

    /** Returns the trial of a configuration, made by an instance of a class. */
    static Trial trial(Class<? extends Function<String, Trial>> trials, String configuration) {
        try {
            return trials.getConstructor().newInstance().apply(configuration);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(trials.getName() + " makes no trials", e);
        }
    }
}

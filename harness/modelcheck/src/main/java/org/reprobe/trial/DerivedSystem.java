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
 * Protocol with derived instead of hand-picked configurations: see {@link Configurations}.
 *
 * @param name for the command line, which appends {@code -derived}
 * @param title description of the clients for users
 * @param usual number of first configurations that cover every branch of the protocol, except those that are listed as
 *     unreachable or open
 * @param kinds kinds of configurations. Kinds with broken connections or failing machines have too many schedules; of
 *     these only the configurations in the list below are used
 * @param trials factory that creates a trial from a configuration's text. It must have a public constructor without
 *     parameters, since explorations reload its package. Two resources may be beside it:
 *     {@code sharpest-configurations.txt} lists the configurations to explore first, {@code unreachable-branches.txt}
 *     branches with reasons
 * @param types classes whose branches are covered; their sources must be available as resources
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

    public String id() {
        return name + "-derived";
    }

    List<String> typeNames() {
        return types.stream().<String>map(Class::getName).toList();
    }

    /** Returns the packages that an exploration reloads with their subpackages: of the trials and of {@link #types}. */
    Set<String> packages() {
        Set<String> names = new TreeSet<>(List.of(trials.getPackageName().replaceFirst("\\.trials$", "")));
        types.forEach(type -> names.add(type.getPackageName()));
        return names;
    }

    /** Returns the configurations of {@code sharpest-configurations.txt}, then all of {@link Configurations}. */
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

    List<String> sharpest() {
        return lines(SHARPEST).stream()
                .filter(line -> kinds.stream().anyMatch(kind -> line.startsWith(kind.name() + ":")))
                .toList();
    }

    List<String> unreachable() {
        return lines(UNREACHABLE);
    }

    /** Returns the lines, without comments, of a list beside the trials; an empty list if there is none. */
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

    /** Returns the number of configurations, with those that differ only in names counted separately. */
    public double combinations() {
        return new Configurations(kinds).combinations();
    }

    public @Nullable CheckedSystem configuration(String text) {
        Configuration found = Configuration.of(text, kinds);
        return found == null
                ? null
                : new CheckedSystem(text, "derived", false, found.kind().limits(), 1, () -> trial(trials, text));
    }

    static Trial trial(Class<? extends Function<String, Trial>> trials, String configuration) {
        try {
            return trials.getConstructor().newInstance().apply(configuration);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(trials.getName() + " could not be created", e);
        }
    }
}

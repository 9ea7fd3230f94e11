package org.reprobe.trial;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.trial.Configuration.Kind;

/** A protocol whose small configurations are derived, not picked: see {@link Configurations}. */
@SuppressWarnings("ImmutableEnumChecker") // its lists are
public enum DerivedSystem {
    NESSIE(
            "one to three clients of up to three operations each, without a server program",
            300,
            List.of(Kind.NESSIE),
            "nessie.NessieClient",
            "nessie.Item",
            "nessie.FreeItems",
            "nessie.EntryList",
            "nessie.Entry"),
    NESSIE_SERVER(
            "the same with a server that moves chains, resizes and cleans up; items run out; a client may die",
            200,
            List.of(Kind.NESSIE_DIES, Kind.NESSIE_SERVER, Kind.NESSIE_RESIZE, Kind.NESSIE_FEW_ITEMS),
            "nessie.NessieClient",
            "nessie.NessieServer",
            "nessie.CleanUp",
            "nessie.Chains",
            "nessie.ServerLink",
            "nessie.FreeItems",
            "nessie.EntryList",
            "remote.CuckooSearch"),
    RHTM(
            "Nessie by remote transactions; a client may die",
            150,
            List.of(Kind.RHTM, Kind.RHTM_DIES),
            "nessie.TransactionalOperations"),
    PILAF(
            "clients read by themselves, a server writes and moves keys; items run out",
            150,
            List.of(Kind.PILAF, Kind.PILAF_FEW_ITEMS),
            "pilaf.PilafClient",
            "pilaf.PilafServer",
            "pilaf.PilafTable",
            "remote.CuckooSearch"),
    FIND_OR_PUT(
            "one to three processes of up to three operations each, on one machine or two; one may die",
            150,
            List.of(Kind.FIND_OR_PUT, Kind.FIND_OR_PUT_LOCAL, Kind.FIND_OR_PUT_CARD, Kind.FIND_OR_PUT_DIES),
            "findorput.FindOrPut",
            "findorput.SharedTable");

    private static final String SHARPEST = "sharpest-configurations.txt";

    private final String title;
    private final int usual;
    private final List<Kind> kinds;
    private final List<String> types;

    DerivedSystem(String title, int usual, List<Kind> kinds, String... types) {
        this.title = title;
        this.usual = usual;
        this.kinds = kinds;
        this.types = Arrays.stream(types).map(type -> "org.reprobe." + type).toList();
    }

    /** For the command line. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-') + "-derived";
    }

    /** What clients do, for people. */
    public String title() {
        return title;
    }

    /** Configurations after which every branch of the protocol has been taken, but for those that a list says can't be or are open. */
    public int usual() {
        return usual;
    }

    /** How many of the first ones the tests explore. */
    int shareOfSuite() {
        return this == NESSIE || this == NESSIE_SERVER ? 60 : 40;
    }

    /** Classes whose branches are the protocol's decisions. */
    List<String> types() {
        return types;
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

    /** Those that a list has: see what it says at its top. */
    List<String> sharpest() {
        try (InputStream in = DerivedSystem.class.getResourceAsStream(SHARPEST)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> kinds.stream().anyMatch(kind -> line.startsWith(kind.words() + ":")))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Kind> kinds() {
        return kinds;
    }

    /** How many configurations there are, those counted apart that differ in names only. */
    public double combinations() {
        return new Configurations(kinds).combinations();
    }

    /** The configuration of a text, ready to be explored; null when it is none. */
    public static @Nullable CheckedSystem configuration(String text) {
        Configuration found = Configuration.of(text);
        return found == null
                ? null
                : new CheckedSystem(text, "derived", false, found.kind().limits(), 1, () -> Trials.of(found));
    }

    /** What may happen in a configuration. */
    static ExplorationLimits limits(String configuration) {
        Configuration found = Configuration.of(configuration);
        if (found == null) {
            throw new IllegalArgumentException(configuration + " is no configuration");
        }
        return found.kind().limits();
    }
}

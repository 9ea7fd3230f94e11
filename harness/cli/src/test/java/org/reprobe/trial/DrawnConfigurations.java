package org.reprobe.trial;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.reprobe.trial.Configuration.At;

/** Random configurations of few slots and many clients, where keys conflict. */
final class DrawnConfigurations {
    private final SplittableRandom random;
    private final List<ConfigurationKind> kinds;

    DrawnConfigurations(List<ConfigurationKind> kinds, long seed) {
        this.kinds = kinds;
        this.random = new SplittableRandom(seed);
    }

    Set<String> draw(int count) {
        Set<String> found = new LinkedHashSet<>();
        while (found.size() < count) {
            String text = next(kinds.get(found.size() % kinds.size()));
            if (Configuration.of(text, kinds) != null) {
                found.add(text);
            }
        }
        return found;
    }

    private String next(ConfigurationKind kind) {
        int keys = 1 + random.nextInt(kind.hasSizes() ? 3 : 4);
        int slots = Math.max(kind.places(), 2 + random.nextInt(3));
        List<Integer> sizes = new ArrayList<>();
        if (kind.hasSizes()) {
            int chunk = 1 + random.nextInt(slots);
            sizes.addAll(List.of(slots, chunk, 1 + random.nextInt(Math.ceilDiv(slots, chunk))));
        }
        int loaded = kind.loads() ? random.nextInt(keys + 1) : 0;
        List<Configuration.Key> all = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            List<Integer> places = new ArrayList<>();
            while (places.size() < kind.places()) {
                int place = random.nextInt(slots);
                if (!places.contains(place)) {
                    places.add(place);
                }
            }
            At at = key >= loaded
                    ? At.NOWHERE
                    : !kind.states().contains(At.SECONDARY) || random.nextBoolean() ? At.PRIMARY : At.SECONDARY;
            all.add(new Configuration.Key(places, at));
        }
        String verbs = kind.hasSizes() ? kind.verbs() : "wwwrd";
        int clients = 1 + random.nextInt(3);
        List<String> script = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            List<String> asks = new ArrayList<>();
            int max = clients == 1 ? 3 : 2 + random.nextInt(2);
            for (int ask = 1 + random.nextInt(max); ask > 0; ask--) {
                // The last key is the one that conflicts with others.
                int key = random.nextBoolean() ? keys - 1 : random.nextInt(keys);
                asks.add(verbs.charAt(random.nextInt(verbs.length())) + String.valueOf(key));
            }
            script.add(String.join(" ", asks));
        }
        return new Configuration(kind, sizes, all, String.join("|", script)).toString();
    }
}

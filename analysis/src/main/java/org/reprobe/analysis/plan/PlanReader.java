package org.reprobe.analysis.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import tools.jackson.databind.JsonNode;

/** Reader of a plan's requirements from a file, options or both: an option {@code --KEY VALUE} for every key. */
public final class PlanReader {
    private final List<PlannedScheme> schemes;
    private final Binder<PlanFile> files;

    public PlanReader(List<PlannedScheme> schemes) {
        this.schemes = List.copyOf(schemes);
        this.files = Binder.of(
                PlanFile.class,
                Map.of("schemes", schemes.stream().map(PlannedScheme::key).toList()));
    }

    /** Key of the file that is also an option: its schema, values in words, and meaning with unit and default. */
    public record Key(String name, JsonNode allowed, String allowedWords, String meaning) {}

    public Binder<?> files() {
        return files;
    }

    public List<Key> keys() {
        return files.keys().stream()
                .filter(key -> !key.name().equals("title"))
                .map(key -> new Key(key.name(), key.schema(), key.allowed(), meaning(key)))
                .toList();
    }

    private static String meaning(Binder.TopKey key) {
        JsonNode byDefault = key.byDefault();
        return byDefault == null
                ? key.meaning()
                : key.meaning()
                        .replaceFirst(
                                "\\.$",
                                "; " + (byDefault.isArray() ? byDefault.get(0) : byDefault).asString()
                                        + " by default.");
    }

    /** Reads a plan's requirements from a file, or null, and options in YAML. Throws every problem at once. */
    public PlanInput read(@Nullable Path file, Map<String, String> options, Path nics) throws InvalidInputException {
        Document document = file == null ? Document.parse("plan", "{}") : Document.read(file);
        List<Problem> problems = new ArrayList<>();
        for (Map.Entry<String, String> option : options.entrySet()) {
            String origin = "--" + option.getKey();
            try {
                String text = option.getValue();
                boolean list =
                        (option.getKey().equals("nics") || option.getKey().equals("schemes")) && !text.startsWith("[");
                JsonNode value = Document.value(origin, list ? "[" + text + "]" : text);
                document = document.with("/" + option.getKey(), value, origin);
            } catch (InvalidInputException damaged) {
                problems.addAll(damaged.problems());
            }
        }
        // The schema is checked with the options in place, since they may replace keys missing from the file.
        files.violations(document).forEach(violation -> problems.add(violation.problem()));
        List<NicProfile> profiles = profiles(document, nics, problems);
        PlanFile asked =
                problems.isEmpty() ? files.bind(document, "", document.root(), PlanFile.class, problems) : null;
        if (asked == null) {
            throw new InvalidInputException(problems);
        }
        List<PlannedScheme> chosen = schemes.stream()
                .filter(scheme -> asked.schemes().isEmpty() || asked.schemes().contains(scheme.key()))
                .toList();
        JsonNode given = document.root();
        Set<String> defaults = files.keys().stream()
                .map(Binder.TopKey::name)
                .filter(key -> !given.has(key))
                .collect(Collectors.toSet());
        PlanInput input = new PlanInput(asked, profiles, chosen, defaults);
        together(document, input, problems);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return input;
    }

    private static List<NicProfile> profiles(Document document, Path nics, List<Problem> problems)
            throws InvalidInputException {
        List<NicProfile> profiles = new ArrayList<>();
        JsonNode names = document.root().path("nics");
        if (names.isMissingNode()) {
            profiles.add(NicProfiles.load(nics, "connectx5-edr"));
        }
        int at = 0;
        for (JsonNode name : names.isArray() ? names.values() : List.<JsonNode>of()) {
            String pointer = "/nics/" + at++;
            if (!name.isString() || name.asString().isEmpty()) {
                continue; // the schema has complained
            }
            String missing = NicProfiles.missing(nics, name.asString());
            if (missing != null) {
                problems.add(document.problem(pointer, missing));
                continue;
            }
            try {
                NicProfile profile = NicProfiles.load(nics, name.asString());
                if (profile.card().packetNs() > 0) {
                    problems.add(document.problem(
                            pointer,
                            profile.title()
                                    + " has one engine for all packets (card.packet-ns), which plans can't predict:"
                                    + " simulate a scenario instead"));
                }
                profiles.add(profile);
            } catch (InvalidInputException damaged) {
                problems.addAll(damaged.problems());
            }
        }
        return profiles;
    }

    /** Adds the problems that concern several keys. */
    private static void together(Document document, PlanInput input, List<Problem> problems) {
        PlanFile asked = input.file();
        if (input.peakPerSecond() < asked.lookupsPerSecond()) {
            problems.add(document.problem(
                    "/peak-lookups-per-second",
                    "peak-lookups-per-second is %.0f, less than lookups-per-second, %.0f: a peak is no less than the mean"
                            .formatted(input.peakPerSecond(), asked.lookupsPerSecond())));
        }
        if (asked.serversThatMayFail() >= asked.maxServers()) {
            problems.add(document.problem(
                    "/servers-that-may-fail",
                    "servers-that-may-fail is %d, but max-servers is %d: none would be left"
                            .formatted(asked.serversThatMayFail(), asked.maxServers())));
        }
        for (NicProfile nic : input.nics()) {
            NicProfile.Limits limits = nic.limits();
            if (input.allThreads() > limits.queuePairs()) {
                problems.add(document.problem(
                        "/client-threads",
                        "%d client threads need as many queue pairs on every server, but %s allows at most %d"
                                .formatted(input.allThreads(), nic.name(), limits.queuePairs())));
            }
        }
        double sum =
                asked.valueBytes().stream().mapToDouble(PlanFile.Size::share).sum();
        if (Math.abs(sum - 1) > 1e-6) {
            problems.add(document.problem(
                    "/value-bytes", "the shares of value-bytes add up to %s, but must add up to 1".formatted(sum)));
        }
    }
}

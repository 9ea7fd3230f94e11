package org.reprobe.cli.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.claims.EvidenceCount;
import org.reprobe.analysis.stats.Summary;
import org.reprobe.cli.base.TextTable;
import org.reprobe.run.ResultFolder;
import org.reprobe.scenario.Scenario;

/** Verdicts on claims over results of the same scenarios that differ in their seed only. */
final class SeedCounts {
    static final String JSON_FIELDS = "seeds; claims (id, verdicts by seed).";

    private final Map<Long, List<ClaimResult>> bySeed;

    record ClaimJson(String id, Map<Long, String> verdicts) {}

    record Json(List<Long> seeds, List<ClaimJson> claims) {}

    SeedCounts(Map<Long, List<ClaimResult>> bySeed) {
        this.bySeed = bySeed;
    }

    Json json() {
        Map<String, Map<Long, String>> verdicts = new LinkedHashMap<>();
        bySeed.forEach((seed, claims) ->
                claims.forEach(claim -> verdicts.computeIfAbsent(claim.id(), _ -> new LinkedHashMap<>())
                        .put(seed, claim.status().words())));
        return new Json(
                List.copyOf(bySeed.keySet()),
                verdicts.entrySet().stream()
                        .map(entry -> new ClaimJson(entry.getKey(), entry.getValue()))
                        .toList());
    }

    /** Returns the folders by seed; null unless all have the same scenarios on the same fabrics, and distinct seeds. */
    static @Nullable Map<Long, ResultFolder> bySeed(List<ResultFolder> folders) {
        Map<Long, ResultFolder> bySeed = new LinkedHashMap<>();
        Set<Set<String>> contents = folders.stream()
                .map(folder -> folder.plan().scenarios().stream()
                        .map(scenario -> scenario.name() + " on " + fabrics(scenario))
                        .collect(Collectors.toSet()))
                .collect(Collectors.toSet());
        for (ResultFolder folder : folders) {
            Set<Long> seeds = folder.plan().units().stream()
                    .map(unit -> unit.settings().seed())
                    .collect(Collectors.toSet());
            if (seeds.size() != 1 || bySeed.put(seeds.iterator().next(), folder) != null) {
                return null;
            }
        }
        return folders.size() > 1 && contents.size() == 1 ? bySeed : null;
    }

    static String fabrics(Scenario scenario) {
        return scenario.cells().stream()
                .map(cell -> cell.settings().fabric())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** Prints the number of claims that hold in all seeds, by kind of evidence, and claims with different verdicts. */
    void print(PrintWriter out) {
        int seeds = bySeed.size();
        Map<String, Map<Status, Integer>> verdicts = new LinkedHashMap<>();
        bySeed.values()
                .forEach(claims ->
                        claims.forEach(claim -> verdicts.computeIfAbsent(claim.id(), _ -> new EnumMap<>(Status.class))
                                .merge(claim.status(), 1, Integer::sum)));
        List<ClaimResult> first = bySeed.values().iterator().next();
        out.println("Claims over " + seeds + " seeds ("
                + bySeed.keySet().stream().map(String::valueOf).collect(Collectors.joining(", ")) + ")");
        TextTable table = new TextTable(
                "lrrrrrr",
                "claims",
                "in all",
                "hold in " + seeds + " of " + seeds,
                "in some",
                "in none",
                "never judged",
                "median error");
        for (EvidenceCount count : EvidenceCount.of(first)) {
            int all = 0;
            int some = 0;
            int never = 0;
            for (ClaimResult claim : count.claims()) {
                Map<Status, Integer> each = verdicts.getOrDefault(claim.id(), Map.of());
                int holds = each.getOrDefault(Status.HOLDS, 0);
                all += holds == seeds ? 1 : 0;
                some += holds > 0 && holds < seeds ? 1 : 0;
                never += each.keySet().stream().noneMatch(Status::isJudged) ? 1 : 0;
            }
            int claims = count.claims().size();
            table.add(
                    count.group().title(),
                    "" + claims,
                    "" + all,
                    "" + some,
                    "" + (claims - all - some - never),
                    "" + never,
                    error(count.group()));
        }
        out.print(table);
        TextTable disagree = new TextTable("ll", "seeds disagree about", "verdicts");
        List<String> ids = new ArrayList<>();
        verdicts.forEach((id, each) -> {
            if (each.size() > 1) {
                ids.add(id);
                disagree.add(
                        id,
                        each.entrySet().stream()
                                .map(entry -> entry.getKey().words() + " " + entry.getValue())
                                .collect(Collectors.joining(", ")));
            }
        });
        if (!ids.isEmpty()) {
            out.print(disagree);
        }
        out.flush();
    }

    private String error(EvidenceCount.Group group) {
        double[] errors = bySeed.values().stream()
                .flatMap(claims -> EvidenceCount.of(claims).stream())
                .filter(count -> count.group() == group)
                .mapToDouble(EvidenceCount::medianRelativeError)
                .filter(Double::isFinite)
                .toArray();
        return errors.length == 0
                ? "-"
                : String.format(Locale.ROOT, "%.1f %%", 100 * Summary.of(errors).mean());
    }
}

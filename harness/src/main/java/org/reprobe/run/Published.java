package org.reprobe.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.claims.PublishedValue;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.plots.PublishedPoints;
import org.reprobe.scenario.Scenario;

/**
 * What the papers publish that some scenarios reproduce.
 *
 * @param claims of all their papers, in the files' order
 */
public record Published(List<Claim> claims) {

    private static final Set<String> OF_THIS_MACHINE = Set.of("shm", "tcp");

    public Published {
        claims = List.copyOf(claims);
    }

    /**
     * Reads {@code PAPER.yaml} for every paper named in {@code reproduces}, the part before the slash. A paper without a
     * file has no claims.
     *
     * @throws InvalidInputException when a file can't be used
     */
    public static Published of(List<Scenario> scenarios, Path directory) throws InvalidInputException {
        Map<String, List<Claim>> papers = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            for (String what : scenario.reproduces()) {
                int slash = what.indexOf('/');
                String paper = slash < 0 ? what : what.substring(0, slash);
                Path file = directory.resolve(paper + ".yaml");
                if (!papers.containsKey(paper) && Files.exists(file)) {
                    papers.put(paper, ClaimFile.read(file));
                }
            }
        }
        List<Claim> claims = new ArrayList<>();
        papers.values().forEach(claims::addAll);
        return new Published(claims);
    }

    /**
     * The claims that results on some fabrics can be held against. Memory or sockets of this machine are no network card:
     * their rates and latencies are not the paper's, what a lookup asks for is. A claim that says which fabrics it means, means
     * them.
     */
    Published comparableOn(Set<String> fabrics) {
        if (Collections.disjoint(fabrics, OF_THIS_MACHINE)) {
            return this;
        }
        return new Published(claims.stream()
                .filter(claim -> claim.quantity().metrics().stream()
                        .noneMatch(metric -> Metrics.isOfTime(metric.metric()) && !metric.namesFabric()))
                .toList());
    }

    /** True when the fabric has no network card. */
    static boolean isOfThisMachine(String fabric) {
        return OF_THIS_MACHINE.contains(fabric);
    }

    /** The claims that need no scenario but this one. */
    List<Claim> claimsOf(String scenario) {
        return claims.stream()
                .filter(claim -> claim.quantity().scenarios().equals(Set.of(scenario)))
                .toList();
    }

    /** The values to draw in a scenario's figures. */
    PublishedPoints pointsOf(String scenario) {
        return new PublishedPoints(PublishedValue.of(claimsOf(scenario)).stream()
                .map(value -> new PublishedPoints.Point(value.cell(), value.metric(), value.value()))
                .toList());
    }
}

package org.reprobe.plots.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.cards.CardScore;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.Paper;

/**
 * Content of a report, all of it plain text.
 *
 * @param command exact command that repeats the report
 * @param environment of the runs, by name, in the order shown: commit, JDK, CPU, kernel, fabric
 * @param papers sources of the claims
 * @param sections one for each scenario, in the order shown
 * @param overallClaims claims that belong to no scenario; a claim is in one list only
 * @param cards errors against measurements of cards, empty without any
 */
public record ReportInput(
        String title,
        String command,
        Map<String, String> environment,
        List<Paper> papers,
        List<ReportSection> sections,
        List<ClaimResult> overallClaims,
        List<CardScore> cards) {

    public ReportInput {
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        papers = List.copyOf(papers);
        sections = List.copyOf(sections);
        overallClaims = List.copyOf(overallClaims);
        cards = List.copyOf(cards);
    }
}

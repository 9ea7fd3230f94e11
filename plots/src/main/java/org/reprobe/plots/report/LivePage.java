package org.reprobe.plots.report;

import java.util.List;
import org.reprobe.plots.Templates;

/**
 * Page of a run in progress, which its script, or without scripts the browser, requests again and again.
 *
 * @param state running, complete or failed
 * @param progress "12 of 40 runs"
 * @param detail numbers of runs by state, and times
 * @param share of the work's time, from 0 to 1
 * @param processes rows of name, process number and state
 * @param running rows of name, cells, elapsed and remaining time
 * @param folder path of the result folder
 * @param report address of the report; empty before the end
 */
public record LivePage(
        String title,
        String state,
        String progress,
        String detail,
        double share,
        List<List<String>> processes,
        List<List<String>> running,
        List<Part> parts,
        List<String> messages,
        String folder,
        String report) {
    private static final String SOURCES = "'self' data:; connect-src 'self'";

    public LivePage {
        processes = List.copyOf(processes);
        running = List.copyOf(running);
        parts = List.copyOf(parts);
        messages = List.copyOf(messages);
    }

    /** Scenario; {@code soFar} states how much of it the figures show, {@code failed} is empty without failed runs. */
    public record Part(String title, String meta, String soFar, String failed, List<Figure> figures) {
        public Part {
            figures = List.copyOf(figures);
        }
    }

    /**
     * Figure with the address of its drawing, empty before the first cell is measured; {@code problem} if undrawable.
     */
    public record Figure(String title, String address, String problem) {}

    public boolean hasEnded() {
        return !report.isEmpty();
    }

    /** Returns the policy of all answers of the page's server. */
    public static String policy() {
        return Templates.policy(SOURCES) + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    }

    /** Returns the allowed sources of images, and of what the script requests. */
    public String sources() {
        return SOURCES;
    }

    public String html() {
        return Templates.render("live.jte", this);
    }
}

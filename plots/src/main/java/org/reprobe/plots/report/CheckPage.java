package org.reprobe.plots.report;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.List;

/**
 * What exploring schedules has found, as one HTML file: a row for each system, each counterexample as a timeline with a column
 * for each program, and what corrections cost.
 */
public record CheckPage(String command, String summary, List<Checked> systems, List<Found> found, Costs costs) {
    public CheckPage {
        systems = List.copyOf(systems);
        found = List.copyOf(found);
    }

    /**
     * A system.
     *
     * @param status css class: holds or missed
     */
    public record Checked(
            String name,
            String title,
            String schedules,
            String states,
            String switches,
            String random,
            String verdict,
            String status) {}

    /**
     * A counterexample.
     *
     * @param title what clients do
     * @param wrong what goes wrong, as text of several lines
     * @param programs columns of the timeline
     * @param again the command that replays it
     */
    public record Found(
            String name, String title, String wrong, List<String> programs, List<Moment> moments, String again) {
        public Found {
            programs = List.copyOf(programs);
            moments = List.copyOf(moments);
        }
    }

    /**
     * A line of a timeline.
     *
     * @param program whose, from 0
     * @param operation whether a client asks or is told something; else it is a request that takes effect
     */
    public record Moment(int program, String what, boolean operation) {}

    /**
     * Round trips by operation and rules.
     *
     * @param about how they were counted
     * @param rules columns
     */
    public record Costs(String about, List<String> rules, List<Cost> rows) {
        public Costs {
            rules = List.copyOf(rules);
            rows = List.copyOf(rows);
        }
    }

    /** Mean round trips of an operation, one for each column. */
    public record Cost(String operation, List<String> roundTrips) {
        public Cost {
            roundTrips = List.copyOf(roundTrips);
        }
    }

    /** The page. */
    public String html() {
        TemplateEngine engine = TemplateEngine.createPrecompiled(
                null, ContentType.Html, CheckPage.class.getClassLoader(), "org.reprobe.plots.report.templates");
        StringOutput output = new StringOutput();
        engine.render("check.jte", this, output);
        return output.toString();
    }
}

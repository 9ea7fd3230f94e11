package org.reprobe.plots.report;

import java.util.List;
import org.reprobe.plots.Templates;

/**
 * What exploring schedules has found, as one HTML file: a row for each system, each counterexample as a timeline with a column
 * for each program, and what corrections cost.
 */
public record CheckPage(
        String command,
        String summary,
        List<Derived> derived,
        List<Checked> systems,
        List<Found> found,
        List<Costs> costs) {
    public CheckPage {
        derived = List.copyOf(derived);
        systems = List.copyOf(systems);
        found = List.copyOf(found);
        costs = List.copyOf(costs);
    }

    /**
     * A system whose configurations are derived.
     *
     * @param title what clients do
     * @param explored how many configurations and schedules
     * @param branches how many ways out of decisions were taken
     * @param missing those that can be taken and were not
     * @param refuted those that were taken though they are said to be out of reach
     * @param all in the order of the code
     * @param status css class: holds or missed
     */
    public record Derived(
            String name,
            String title,
            String explored,
            String branches,
            List<String> missing,
            List<String> refuted,
            List<Branch> all,
            String verdict,
            String status) {
        public Derived {
            missing = List.copyOf(missing);
            refuted = List.copyOf(refuted);
            all = List.copyOf(all);
        }
    }

    /**
     * A way out of a decision of the protocol's code.
     *
     * @param decision class, method and the line of source
     * @param unreachable why it can't be taken; empty if it can
     */
    public record Branch(String decision, int line, String way, boolean taken, String unreachable) {}

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
     * Round trips of a system by operation and rules.
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
        return Templates.render("check.jte", this);
    }
}

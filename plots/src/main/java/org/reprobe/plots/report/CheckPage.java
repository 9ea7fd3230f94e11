package org.reprobe.plots.report;

import java.util.List;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.plots.Templates;

/**
 * Results of exploring schedules as one HTML file: a row for each system, each counterexample as a timeline with a
 * column for each program, and the costs of corrections.
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
     * System whose configurations are derived.
     *
     * @param title the clients' operations
     * @param explored numbers of configurations and schedules
     * @param branches number of taken branches of decisions
     * @param missing feasible branches that were not taken
     * @param refuted branches that were taken although listed as infeasible
     * @param all in the order of the code
     * @param status CSS class: holds or missed
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
     * Branch of a decision (class, method and line of source) in the protocol's code; {@code unreachable} is the reason
     * why it is infeasible, or "".
     */
    public record Branch(String decision, int line, String way, boolean taken, String unreachable) {}

    /** System with its CSS class, holds or missed. */
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
     * Counterexample: the clients' operations, the violation in several lines, columns and rows of the timeline, and
     * the command that replays it.
     */
    public record Found(
            String name, String title, String wrong, List<String> programs, List<Moment> moments, String again) {
        public Found {
            programs = List.copyOf(programs);
            moments = List.copyOf(moments);
        }
    }

    /** Row of a timeline: program from 0; start or end of an operation, or else a request that takes effect. */
    public record Moment(int program, String what, boolean operation) {}

    /** Round trips of a system by operation and rules (columns), with the method of counting. */
    public record Costs(String about, List<String> rules, List<Cost> rows) {
        public Costs {
            rules = List.copyOf(rules);
            rows = List.copyOf(rows);
        }
    }

    /** Mean round trips of an operation, one per column. */
    public record Cost(String operation, List<String> roundTrips) {
        public Cost {
            roundTrips = List.copyOf(roundTrips);
        }
    }

    /** Returns "7 of 7 systems as expected". */
    public String verdict() {
        long expected = Stream.concat(
                        derived.stream().map(Derived::status), systems.stream().map(Checked::status))
                .filter("holds"::equals)
                .count();
        return expected + " of " + Quantities.count(derived.size() + systems.size(), "system") + " as expected";
    }

    public String html() {
        return Templates.render("check.jte", this);
    }
}

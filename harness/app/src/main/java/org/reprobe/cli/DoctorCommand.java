package org.reprobe.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.doctor.Examination;
import org.reprobe.doctor.Finding;
import org.reprobe.doctor.Finding.Weight;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code doctor}: whether this machine is fit for {@code --fabric verbs}. */
@Command(
        name = "doctor",
        description = {
            "Looks for what commonly goes wrong with RDMA on real machines.",
            "Exit codes: 0 verbs can run here, 1 they can't."
        })
final class DoctorCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<Finding> findings = Examination.ofThisMachine();
        for (Finding finding : findings) {
            out.println("%-8s %s: %s".formatted(finding.weight().word(), finding.subject(), finding.words()));
        }
        long problems = count(findings, Weight.PROBLEM);
        long warnings = count(findings, Weight.WARNING);
        out.println();
        out.println(
                problems > 0
                        ? "Verbs can't run here: " + Quantities.count(problems, "problem") + "."
                        : "Verbs can run here"
                                + (warnings > 0
                                        ? "; heed " + Quantities.count(warnings, "warning") + " before measuring."
                                        : "."));
        out.flush();
        return problems > 0 ? Reprobe.FAILED : Reprobe.FINE;
    }

    private static long count(List<Finding> findings, Weight weight) {
        return findings.stream().filter(finding -> finding.weight() == weight).count();
    }
}

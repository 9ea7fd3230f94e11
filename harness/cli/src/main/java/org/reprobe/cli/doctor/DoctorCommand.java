package org.reprobe.cli.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.doctor.Diagnosis;
import org.reprobe.doctor.Diagnosis.Weight;
import org.reprobe.doctor.Examination;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code doctor}: checks this machine for {@code --fabric verbs}. */
@Command(
        name = "doctor",
        description = {
            "Checks this machine for common RDMA problems and for causes of noisy measurements.",
            "Exit codes: 0 verbs can run here, 1 they can't."
        },
        footer = {"", "JSON: fit, findings (weight: ok, warning or PROBLEM; subject; words)."})
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private JsonOption json = new JsonOption();

    record Found(String weight, String subject, String words) {}

    record Json(boolean fit, List<Found> findings) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = json.text();
        List<Diagnosis> findings = Examination.ofThisMachine();
        for (Diagnosis finding : findings) {
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
                                        ? "; resolve " + Quantities.count(warnings, "warning") + " before measuring."
                                        : "."));
        json.write(new Json(
                problems == 0,
                findings.stream()
                        .map(finding -> new Found(finding.weight().word(), finding.subject(), finding.words()))
                        .toList()));
        return problems > 0 ? ExitCode.FAILED : ExitCode.FINE;
    }

    private static long count(List<Diagnosis> findings, Weight weight) {
        return findings.stream().filter(finding -> finding.weight() == weight).count();
    }
}

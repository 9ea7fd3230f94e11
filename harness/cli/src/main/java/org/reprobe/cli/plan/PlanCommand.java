package org.reprobe.cli.plan;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanJson;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.DocumentKind;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.QuietOption;
import org.reprobe.cli.options.Range;
import org.reprobe.cli.options.SeedOption;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.plots.plan.PlanPage;
import org.reprobe.run.plan.PlanProof;
import org.reprobe.run.plan.PlanTrial;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Systems;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plan}: chooses a scheme, load factor, number of servers and NIC. */
@Command(
        name = "plan",
        description = {
            "Chooses scheme, load factor, number of servers and NIC: from a file, options or both.",
            "All numbers are predicted by formulas; --verify simulates the best configurations."
        },
        footer = {
            "",
            "JSON: the request, the best configurations with all their numbers, the reasons, alternatives, verified"
                    + " configurations; with --proof: configurations."
        })
public final class PlanCommand extends CheckedCommand {
    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A YAML file with the keys below.")
    private @Nullable Path file;

    @Mixin
    private NicOption nic = new NicOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private QuietOption quiet = new QuietOption();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            converter = WritableFile.class,
            description = "Write a page with figures.")
    private @Nullable Path html;

    @Range(min = 1, max = 9999)
    @Option(names = "--top", paramLabel = "N", description = "Number of configurations to print (default: 8).")
    private int top = 8;

    @Range(min = 0, max = 9999)
    @Option(
            names = "--verify",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "3",
            description = "Simulate the best N configurations (default: 3) and print predicted and simulated numbers.")
    private int verify;

    @Range(min = 0, max = 1_000_000)
    @Option(
            names = "--proof",
            paramLabel = "N",
            description =
                    "Compare predictions with simulations of N random configurations, over all cards with measurements; --html"
                            + " draws the errors.")
    private int proof;

    @Mixin
    private SeedOption seed = new SeedOption();

    private final Library library = Library.current();
    private final PlanReader reader = new PlanReader(Systems.planned());

    @Spec
    void addKeys(CommandSpec given) {
        for (PlanReader.Key key : reader.keys()) {
            given.addOption(OptionSpec.builder("--" + key.name())
                    .type(String.class)
                    .paramLabel("VALUE")
                    .description((key.meaning() + " " + capital(key.allowedWords()) + ".").replace("%", "%%"))
                    .build());
        }
    }

    private static String capital(String words) {
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        if (proof > 0) {
            stopOnProblems();
            return prove(json.text());
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (PlanReader.Key key : reader.keys()) {
            OptionSpec option = spec().findOption("--" + key.name());
            String value = option == null ? null : option.getValue();
            if (value != null) {
                options.put(key.name(), value);
            }
        }
        Path given = file;
        boolean readable = given == null || read(() -> DocumentKind.PLAN.read(given)) != null;
        NicOption.Profile profile = nic.profile(library, problems());
        if (profile.name() != null) {
            if (options.containsKey("nics")) {
                addProblem("--nic " + profile.name(), "same as --nics: give one of the two");
            }
            options.put("nics", profile.name());
        }
        PlanInput input = readable ? read(() -> reader.read(file, options, profile.folder())) : null;
        stopOnProblems();
        if (input == null) {
            return ExitCode.BAD_INPUT;
        }
        long startNs = System.nanoTime();
        Planner.Result result = new Planner(input).plan();
        double tookMs = (System.nanoTime() - startNs) / 1e6;
        if (result.options().isEmpty()) {
            throw new InvalidInputException(none(result));
        }
        Advice advice = Advice.of(input, result);
        List<PlanJson.Verified> verified = verify > 0 ? verified(input, result) : List.of();
        LocalDate today = LocalDate.now(ZoneId.systemDefault());
        PrintWriter out = json.text();
        new PlanText(input, result, advice, verified, today).print(out, top, tookMs);
        json.writeText(PlanJson.of(input, result, advice, verified, today));
        if (html != null) {
            WritableFile.write(html, PlanPage.render(input, result, advice, verified, today));
            out.println("Page: " + html);
        }
        return ExitCode.FINE;
    }

    private List<Problem> none(Planner.Result result) {
        String source = file == null ? "plan" : file.toString();
        List<Problem> problems = new ArrayList<>();
        problems.add(Problem.of(
                source,
                "none of " + Quantities.count(result.tried(), "configuration")
                        + " satisfies the requirements; the nearest:"));
        result.nearest().values().forEach(nearest -> problems.add(Problem.of(source, nearest.words())));
        return problems;
    }

    private List<PlanJson.Verified> verified(PlanInput input, Planner.Result result) throws InterruptedException {
        List<PlanJson.Verified> verified = new ArrayList<>();
        int count = Math.min(verify, result.options().size());
        try (ProgressLine line = quiet.progress()) {
            for (PlanOption option : result.options().subList(0, count)) {
                line.show(
                        (double) verified.size() / count, verified.size() + "/" + count + " simulated", option.label());
                int records = (int)
                        Math.min(PlanText.MAX_SIMULATED_RECORDS, input.file().records());
                long ofServer = Math.round(option.tableBytes() / option.shape().bytesPerRecord());
                try (PlanTrial trial = new PlanTrial(
                        option.nic(),
                        option.shape(),
                        option.load().clients(),
                        records,
                        ofServer,
                        1 - input.file().reads(),
                        seed.orOne())) {
                    PlanProof.Point point = PlanProof.point(trial, option.downPerSecond());
                    verified.add(new PlanJson.Verified(
                            option.label(),
                            point.predictedPerSecond(),
                            point.simulatedPerSecond(),
                            point.predictedIdleP99Ns(),
                            point.simulatedIdleP99Ns(),
                            point.predictedLoadedP99Ns(),
                            point.simulatedLoadedP99Ns()));
                } catch (RefusedException e) {
                    line.note(option.label() + ": not simulated: " + e.getMessage());
                }
            }
        }
        return verified;
    }

    private int prove(PrintWriter out) throws InvalidInputException, IOException, InterruptedException {
        List<NicProfile> cards = new ArrayList<>();
        for (String name : PlanProof.CARDS) {
            cards.add(NicProfiles.load(library.nics(), name));
        }
        AtomicInteger done = new AtomicInteger();
        try (ProgressLine line = quiet.progress()) {
            List<PlanProof.Point> points = PlanProof.run(cards, proof, seed.orOne(), point -> {
                line.wipe();
                out.println(point.line());
                int count = done.incrementAndGet();
                line.show((double) count / proof, count + "/" + Quantities.count(proof, "configuration"), "");
            });
            line.wipe();
            String summary = PlanProof.summary(points);
            out.println();
            out.print(summary);
            json.write(new Proof(points.stream().map(Proved::of).toList()));
            if (html != null) {
                WritableFile.write(
                        html,
                        PlanPage.proof(
                                points.stream().map(PlanProof.Point::errors).toList(), summary));
                out.println("Page: " + html);
            }
        }
        return ExitCode.FINE;
    }

    /** Configuration of {@code --proof}: predicted and simulated operations per second, and 99th percentiles in ns. */
    record Proved(
            String configuration,
            double predictedPerS,
            double simulatedPerS,
            double predictedIdleP99Ns,
            double simulatedIdleP99Ns,
            double predictedLoadedP99Ns,
            double simulatedLoadedP99Ns) {
        static Proved of(PlanProof.Point point) {
            return new Proved(
                    point.load().nic().name() + ", " + point.load().shape().label(),
                    point.predictedPerSecond(),
                    point.simulatedPerSecond(),
                    point.predictedIdleP99Ns(),
                    point.simulatedIdleP99Ns(),
                    point.predictedLoadedP99Ns(),
                    point.simulatedLoadedP99Ns());
        }
    }

    record Proof(List<Proved> configurations) {}
}

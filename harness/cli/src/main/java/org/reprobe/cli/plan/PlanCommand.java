package org.reprobe.cli.plan;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
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
import org.reprobe.analysis.plan.CardAnswer;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanJson;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.analysis.plan.Simulated;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.DocumentKind;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.OptionalNumber;
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
            "The best configuration of each card is simulated; all other numbers are predicted by a closed form of the simulator.",
            "Exit code 3: no card keeps all limits for sure, but at least one may."
        },
        footer = {
            "",
            "JSON: the answer for each card with intervals, verdict and deciding constants, the best configurations with all"
                    + " their numbers, the reasons, alternatives, verified configurations; with --proof: configurations."
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
    @Option(
            names = "--top",
            paramLabel = "N",
            description = "Number of configurations to print, at least the best of each card (default: 8).")
    private int top = 8;

    @Option(
            names = "--allow-assumed",
            description = "Rank cards whose deciding constants are assumed like measured ones.")
    private boolean allowAssumed;

    @Option(
            names = "--no-simulation",
            description = "Predict all numbers in closed form, without simulating the best configuration of each card.")
    private boolean noSimulation;

    @Range(min = 0, max = 9999)
    @Option(
            names = "--verify",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "3",
            preprocessor = OptionalNumber.class,
            description = {
                "Simulate the best N configurations (default: 3) and print predicted and simulated numbers.",
                "This checks the closed form against the simulator, not a card: both use the constants of the profile."
            })
    private int verify;

    @Range(min = 0, max = 1_000_000)
    @Option(
            names = "--proof",
            paramLabel = "N",
            description =
                    "Compare predictions with simulations of N random configurations, over the cards of --nic or --nics, by default"
                            + " all with measurements; --html draws the errors.")
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
            List<NicProfile> cards = proved();
            stopOnProblems();
            return prove(cards, json.text());
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
        if (allowAssumed) {
            input = input.allowingAssumed();
        }
        long startNs = System.nanoTime();
        Planner.Result planned = new Planner(input).plan();
        double tookMs = (System.nanoTime() - startNs) / 1e6;
        CardAnswer.All answers = CardAnswer.all(input, planned, noSimulation ? Map.of() : simulated(input, planned));
        if (!answers.isPossible()) {
            throw new InvalidInputException(none(answers));
        }
        Planner.Result result = answers.result();
        Advice advice = result.options().isEmpty() ? Advice.none(input) : Advice.of(input, result, answers.ranks());
        List<PlanJson.Verified> verified = verify > 0 ? verified(input, result) : List.of();
        LocalDate today = LocalDate.now(ZoneId.systemDefault());
        PrintWriter out = json.text();
        new PlanText(input, answers, advice, verified, today).print(out, top, tookMs);
        json.writeText(PlanJson.of(input, answers, advice, verified, today));
        if (html != null) {
            WritableFile.write(html, PlanPage.render(input, answers, advice, verified, today));
            out.println("Page: " + html);
        }
        return answers.isSure(input) ? ExitCode.FINE : ExitCode.UNDECIDED;
    }

    private List<Problem> none(CardAnswer.All answers) {
        String source = file == null ? "plan" : file.toString();
        List<Problem> problems = new ArrayList<>();
        problems.add(Problem.of(
                source,
                "none of " + Quantities.count(answers.result().tried(), "configuration")
                        + " satisfies the requirements; the nearest:"));
        boolean several = answers.cards().size() > 1;
        for (CardAnswer card : answers.cards()) {
            if (card.shortfall() != null) {
                String words = card.shortfall().words();
                problems.add(Problem.of(
                        source,
                        several && !words.startsWith(card.nic().title())
                                ? card.nic().title() + ": " + words
                                : words));
            }
        }
        return problems;
    }

    /** Simulates the best configuration of each card. */
    private Map<String, Simulated> simulated(PlanInput input, Planner.Result result) throws InterruptedException {
        Map<String, Simulated> simulated = new HashMap<>();
        List<NicProfile> cards = input.nics();
        try (ProgressLine line = quiet.progress()) {
            for (NicProfile card : cards) {
                PlanOption option = result.best(card.name());
                if (option != null) {
                    int done = simulated.size();
                    line.show((double) done / cards.size(), done + "/" + cards.size() + " simulated", option.label());
                    try {
                        simulated.put(card.name(), PlanProof.simulated(input, option, seed.orOne()));
                    } catch (RefusedException e) {
                        line.note(option.label() + ": predicted, not simulated: " + e.getMessage());
                    }
                }
            }
        }
        return simulated;
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

    /** Returns the cards of {@code --proof}: those of {@code --nic} or {@code --nics}, or those with measurements. */
    private List<NicProfile> proved() throws InvalidInputException, IOException {
        NicOption.Profile profile = nic.profile(library, problems());
        String nics = spec().findOption("--nics").getValue();
        List<String> names = profile.name() != null
                ? List.of(profile.name())
                : nics != null ? List.of(nics.split(",", -1)) : PlanProof.CARDS;
        List<NicProfile> cards = new ArrayList<>();
        for (String name : names) {
            NicProfile card = read(() -> NicProfiles.load(profile.folder(), name.strip()));
            if (card != null) {
                cards.add(card);
            }
        }
        return cards;
    }

    private int prove(List<NicProfile> cards, PrintWriter out) throws IOException, InterruptedException {
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

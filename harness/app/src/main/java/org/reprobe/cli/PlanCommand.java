package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanJson;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.plots.plan.PlanPage;
import org.reprobe.run.PlanProof;
import org.reprobe.run.PlanTrial;
import org.reprobe.system.RefusedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plan}: which scheme, how full, how many servers, on which card. */
@Command(
        name = "plan",
        description = {
            "Which scheme, how full, how many servers, on which card: from a file, options or both.",
            "All numbers are predicted, in closed form; --verify simulates the best."
        })
final class PlanCommand implements Callable<Integer> {
    /** Simulated tables are no larger, whatever the plan's are. */
    private static final long SIMULATED_RECORDS = 1L << 20;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A YAML file with the keys below.")
    private @Nullable Path file;

    @Option(
            names = "--nic",
            paramLabel = "N",
            description = "A NIC profile of scenarios/nics/, or a file with one, in place of nics.")
    private @Nullable String nic;

    @Option(names = "--json", paramLabel = "FILE", description = "Write everything as JSON; - for the terminal.")
    private @Nullable String json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with figures.")
    private @Nullable Path html;

    @Option(names = "--top", paramLabel = "N", description = "Configurations shown (default: 8).")
    private String top = "8";

    @Option(
            names = "--verify",
            paramLabel = "N",
            arity = "0..1",
            fallbackValue = "3",
            description = "Simulate the best N (3 unless given) and print predicted beside simulated.")
    private String verify = "0";

    @Option(
            names = "--proof",
            paramLabel = "N",
            description = "Hold the closed form against the simulator on N random configurations of all measured cards,"
                    + " with --html as figures.")
    private String proof = "0";

    @Option(names = "--seed", paramLabel = "N", description = "Of --verify and --proof (default: 1).")
    private String seed = "1";

    private final Shipped shipped = Shipped.here();

    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Adds an option for every key of a plan's file. */
    @Spec
    void spec(CommandSpec given) {
        spec = given;
        for (PlanReader.Key key : PlanReader.keys()) {
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
        PrintWriter out = spec.commandLine().getOut();
        List<Problem> problems = new ArrayList<>();
        int shown = (int) WholeNumber.of("--top", top, 1, 9999, problems);
        int simulated = (int) WholeNumber.of("--verify", verify, 0, 9999, problems);
        int drawn = (int) WholeNumber.of("--proof", proof, 0, 1_000_000, problems);
        long firstSeed = WholeNumber.of("--seed", seed, Long.MIN_VALUE / 100, Long.MAX_VALUE / 100, problems);
        if (drawn > 0 && problems.isEmpty()) {
            return prove(out, drawn, firstSeed);
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (PlanReader.Key key : PlanReader.keys()) {
            OptionSpec option = spec.findOption("--" + key.name());
            String value = option == null ? null : option.getValue();
            if (value != null) {
                options.put(key.name(), value);
            }
        }
        Problem other = file == null ? null : DocumentKind.other(file, DocumentKind.PLAN);
        if (other != null) {
            problems.add(other);
        }
        NicOption given = NicOption.of(nic, shipped, problems);
        if (given.name() != null) {
            if (options.containsKey("nics")) {
                problems.add(Problem.of("--nic " + nic, "stands for nics: give one of the two"));
            }
            options.put("nics", given.name());
        }
        if (other != null) {
            throw new InvalidInputException(problems);
        }
        PlanInput input;
        try {
            input = PlanReader.read(file, options, given.folder());
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            throw new InvalidInputException(problems);
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        long startNs = System.nanoTime();
        Planner.Result result = new Planner(input).plan();
        double tookMs = (System.nanoTime() - startNs) / 1e6;
        if (result.options().isEmpty()) {
            throw new InvalidInputException(none(result));
        }
        Advice advice = Advice.of(input, result);
        List<PlanJson.Verified> verified = simulated > 0 ? verified(input, result, simulated, firstSeed) : List.of();
        LocalDate today = LocalDate.now(ZoneId.systemDefault());
        String text = PlanJson.of(input, result, advice, verified, today);
        if ("-".equals(json)) {
            out.println(text);
        } else {
            print(out, input, result, advice, verified, today, tookMs, shown);
            if (json != null) {
                WholeFile.write(Path.of(json), text.getBytes(StandardCharsets.UTF_8));
                out.println("JSON: " + json);
            }
        }
        if (html != null) {
            write(html, PlanPage.render(input, result, advice, verified, today));
            out.println("Page: " + html);
        }
        out.flush();
        return Reprobe.FINE;
    }

    private static void write(Path file, String text) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Nothing will do: why, and the nearest that would. */
    private List<Problem> none(Planner.Result result) {
        String source = file == null ? "plan" : file.toString();
        List<Problem> problems = new ArrayList<>();
        problems.add(Problem.of(
                source,
                "none of " + Quantities.count(result.tried(), "configuration") + " meets the demands; the nearest:"));
        result.nearest().values().forEach(nearest -> problems.add(Problem.of(source, nearest.words())));
        return problems;
    }

    private void print(
            PrintWriter out,
            PlanInput input,
            Planner.Result result,
            Advice advice,
            List<PlanJson.Verified> verified,
            LocalDate today,
            double tookMs,
            int shown) {
        out.printf(
                Locale.ROOT,
                "# %,d records of %.0f bytes, %,.0f operations/s, %,.0f at the peak; %,d configurations in %.0f ms%n",
                input.records(),
                input.meanRecordBytes(),
                input.lookupsPerSecond(),
                input.peakPerSecond(),
                result.tried(),
                tookMs);
        out.println("# predicted, not measured; " + String.join(", ", titles(input)));
        out.println();
        TextTable table = new TextTable(
                "rllrlrrrrrrrlrrr",
                "",
                "NIC",
                "scheme",
                "load",
                "storage",
                "READ B",
                "servers",
                "GiB each",
                "overhead",
                "M/s each",
                "p50 us",
                "p" + input.percentileWords() + " us",
                "binds, then",
                "use mean/peak/down",
                "headroom",
                input.price().isPresent() ? "cost" : "full by");
        int rank = 0;
        for (PlanOption option :
                result.options().subList(0, Math.min(shown, result.options().size()))) {
            table.add(
                    String.valueOf(++rank),
                    option.nic().name(),
                    option.shape().scheme().key(),
                    String.format(Locale.ROOT, "%.2f", option.shape().loadFactor()),
                    option.shape().inline() ? "inline" : "heap",
                    String.valueOf(option.shape().readBytes()),
                    String.valueOf(option.servers()),
                    String.format(Locale.ROOT, "%.1f", option.tableBytes() / 0x1p30),
                    String.format(Locale.ROOT, "%.0f %%", 100 * option.overhead(input)),
                    String.format(
                            Locale.ROOT,
                            "%.1f ± %.1f",
                            option.perServerPerSecond() / 1e6,
                            option.relativeError() * option.perServerPerSecond() / 1e6),
                    String.format(Locale.ROOT, "%.1f", option.downNs()[0] / 1e3),
                    String.format(Locale.ROOT, "%.1f", option.downNs()[1] / 1e3),
                    option.binding().name() + ", " + option.next().name(),
                    String.format(
                            Locale.ROOT,
                            "%.0f/%.0f/%.0f %%",
                            100 * option.binding().mean(),
                            100 * option.binding().peak(),
                            100 * option.binding().down()),
                    String.format(Locale.ROOT, "%.2fx", option.headroom()),
                    input.price().isPresent()
                            ? String.format(Locale.ROOT, "%,.0f", option.cost().orElse(0))
                            : PlanJson.fullBy(option, today));
        }
        out.print(table);
        out.println("Latency is at the peak, with the servers down that may fail.");
        paragraph(out, "Why the first", advice.why());
        out.println();
        out.println("What would change it");
        TextTable changes = new TextTable("lrl", "with", "servers", "best");
        advice.changes()
                .forEach(change -> changes.add(
                        (change.differs() ? "* " : "  ") + change.what(),
                        change.servers() == 0 ? "-" : String.valueOf(change.servers()),
                        change.servers() == 0 ? "nothing would do" : change.best()));
        out.print(changes);
        paragraph(out, "Assumed", advice.assumptions());
        if (!advice.warnings().isEmpty()) {
            paragraph(out, "Beyond what is known", advice.warnings());
        }
        PlanOption best = result.options().getFirst();
        out.println();
        out.println("With growth the first is full by: " + PlanJson.fullBy(best, today));
        if (!verified.isEmpty()) {
            out.println();
            out.println("Predicted beside simulated, one server, tables of at most " + SIMULATED_RECORDS + " records");
            TextTable check =
                    new TextTable("lrrrrrr", "", "M/s", "simulated", "idle us", "simulated", "peak us", "simulated");
            for (PlanJson.Verified each : verified) {
                check.add(
                        each.label(),
                        mega(each.predictedPerSecond()),
                        mega(each.simulatedPerSecond()),
                        micro(each.predictedIdleNs()),
                        micro(each.simulatedIdleNs()),
                        micro(each.predictedPeakNs()),
                        micro(each.simulatedPeakNs()));
            }
            out.print(check);
            out.println("us: the 99th percentile.");
        }
    }

    private static List<String> titles(PlanInput input) {
        return input.nics().stream().map(NicProfile::title).toList();
    }

    private static String mega(double perSecond) {
        return String.format(Locale.ROOT, "%.2f", perSecond / 1e6);
    }

    private static String micro(double ns) {
        return String.format(Locale.ROOT, "%.2f", ns / 1e3);
    }

    private static void paragraph(PrintWriter out, String title, List<String> sentences) {
        out.println();
        out.println(title);
        sentences.forEach(sentence -> out.println("- " + sentence));
    }

    private List<PlanJson.Verified> verified(PlanInput input, Planner.Result result, int simulated, long firstSeed)
            throws InterruptedException {
        List<PlanJson.Verified> verified = new ArrayList<>();
        for (PlanOption option :
                result.options().subList(0, Math.min(simulated, result.options().size()))) {
            int records = (int) Math.min(SIMULATED_RECORDS, input.records());
            long ofServer = Math.round(option.tableBytes() / option.shape().bytesPerRecord());
            try (PlanTrial trial = new PlanTrial(
                    option.nic(),
                    option.shape(),
                    option.load().clients(),
                    records,
                    ofServer,
                    1 - input.reads(),
                    firstSeed)) {
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
                spec.commandLine().getErr().println(option.label() + ": not simulated: " + e.getMessage());
            }
        }
        return verified;
    }

    private int prove(PrintWriter out, int drawn, long firstSeed)
            throws InvalidInputException, IOException, InterruptedException {
        List<NicProfile> cards = new ArrayList<>();
        for (String name : PlanProof.CARDS) {
            cards.add(NicProfiles.load(shipped.nics(), name));
        }
        List<PlanProof.Point> points = PlanProof.run(cards, drawn, firstSeed, point -> {
            out.println(point.line());
            out.flush();
        });
        String summary = PlanProof.summary(points);
        out.println();
        out.print(summary);
        if (html != null) {
            write(
                    html,
                    PlanPage.proof(points.stream().map(PlanProof.Point::errors).toList(), summary));
            out.println("Page: " + html);
        }
        out.flush();
        return Reprobe.FINE;
    }
}

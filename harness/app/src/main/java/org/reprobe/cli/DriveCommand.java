package org.reprobe.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.run.crew.Worker;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drive}: a client process of a {@code serve}. */
@Command(name = "drive", description = "Runs the clients of one machine of a \"serve\" on this or another host.")
final class DriveCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "1..*", description = "The scenarios that are served.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--server",
            paramLabel = "ADDR",
            required = true,
            description = "What \"serve\" printed: host:port.")
    private String server = "";

    @Mixin
    private TokenOption token = new TokenOption();

    @Override
    public Integer call() throws InvalidInputException, IOException {
        List<Problem> problems = new ArrayList<>();
        Address address = Address.of("--server", server, problems);
        Scenarios read = Scenarios.read(Shipped.here(), words, ScenarioReader.Options.of(Scale.QUICK), problems);
        Secret secret = problems.isEmpty() ? token.read(problems) : null; // nobody is asked in vain
        if (!problems.isEmpty() || address == null || secret == null) {
            throw new InvalidInputException(problems);
        }
        List<String> names = read.scenarios().stream().map(Scenario::name).toList();
        System.out.println("# drives " + String.join(", ", names) + " at " + address.host() + ":" + address.port());
        try (Worker worker = Worker.connect(address.host(), address.port(), secret, names, Worker.Folders.NONE)) {
            if (worker.work()) {
                return Reprobe.FINE;
            }
            System.err.println("The server ended before it was done.");
            return Reprobe.FAILED;
        } catch (IOException e) {
            throw new IOException(address.host() + ":" + address.port() + ": " + e.getMessage(), e);
        }
    }
}

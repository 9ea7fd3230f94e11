package org.reprobe.cli.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.Scenarios;
import org.reprobe.cli.options.Address;
import org.reprobe.cli.options.ScenarioOptions;
import org.reprobe.cli.options.TokenOption;
import org.reprobe.run.process.Worker;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "drive", description = "Runs the clients of one client machine for \"serve\", on this or another host.")
public final class DriveCommand extends CheckedCommand {
    private static final long CLOSING_MS = 20_000;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            completionCandidates = ScenarioOptions.Names.class,
            description = "Scenarios of the server.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--server",
            paramLabel = "ADDR",
            required = true,
            converter = Address.Converter.class,
            description = "Address that \"serve\" printed: host:port.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Address server;

    @Mixin
    private TokenOption token = new TokenOption();

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        // Names only: the server sends the scenarios with all options applied.
        List<String> names = Scenarios.names(Library.current(), words, problems());
        Secret secret = problems().isEmpty() ? token.read(problems()) : null; // no prompt after an error
        stopOnProblems();
        if (secret == null) {
            return ExitCode.BAD_INPUT;
        }
        out().println("# clients of " + String.join(", ", names) + " at " + server);
        try {
            Worker worker = Worker.connect(server.host(), server.port(), secret, names, Worker.Folders.NONE);
            boolean done;
            try {
                done = worker.work();
            } finally {
                close(worker);
            }
            if (done) {
                return ExitCode.FINE;
            }
            err().println("The server ended before all runs were done.");
            return ExitCode.FAILED;
        } catch (IOException e) {
            throw new IOException(server + ": " + e.getMessage(), e);
        }
    }

    /** Closes the worker. Clients that still run, or a fabric that hangs, end with the process. */
    private static void close(Worker worker) throws InterruptedException {
        Thread closing = Thread.ofPlatform().daemon().name("closing").start(() -> {
            try {
                worker.close();
            } catch (IOException e) {
                // The next run deletes files that could not be deleted.
            }
        });
        closing.join(CLOSING_MS);
    }
}

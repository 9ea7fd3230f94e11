package org.reprobe.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.reprobe.fabric.FabricException;
import org.reprobe.longrun.LongRunClients;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code history-clients}: what {@code check --fabric} starts on this host. What it is to do comes in by standard input. */
@Command(name = "history-clients", hidden = true, description = "A process of clients; started by \"check --fabric\".")
final class HistoryClientsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        try {
            LongRunClients.run(line == null ? "" : line);
            return Reprobe.FINE;
        } catch (FabricException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return Reprobe.FAILED;
        }
    }
}

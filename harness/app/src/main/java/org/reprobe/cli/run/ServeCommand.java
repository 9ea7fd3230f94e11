package org.reprobe.cli.run;

import java.net.InetSocketAddress;
import org.reprobe.cli.options.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code serve}: {@code run} with client processes that somebody starts by hand, on any host. */
@Command(
        name = "serve",
        description = "Runs scenarios whose client processes you start yourself, with \"drive\": see what it prints.",
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS})
public final class ServeCommand extends RunCommand {
    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            required = true,
            converter = Address.ToListen.class,
            description = "Where clients connect, like 10.0.0.7:7000; only this host's at 127.0.0.1:7000.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private InetSocketAddress listen;

    @Override
    public InetSocketAddress listen() {
        return listen;
    }
}

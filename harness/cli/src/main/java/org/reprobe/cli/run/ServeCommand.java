package org.reprobe.cli.run;

import java.net.InetSocketAddress;
import org.reprobe.cli.options.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code serve}: {@code run} with client processes that are started by hand, on any host. */
@Command(
        name = "serve",
        description = "Runs scenarios with client processes that you start yourself by the printed \"drive\" command.",
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS})
public final class ServeCommand extends RunCommand {
    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            required = true,
            converter = Address.ToListen.class,
            description =
                    "Address that clients connect to, like 10.0.0.7:7000; 127.0.0.1:7000 for clients on this host only.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private InetSocketAddress listen;

    @Override
    public InetSocketAddress listen() {
        return listen;
    }
}

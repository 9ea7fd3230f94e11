package org.reprobe.cli;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code serve}: {@code run} with client processes that somebody starts by hand, on any host. */
@Command(
        name = "serve",
        description = "Runs scenarios whose client processes you start yourself, with \"drive\": see what it prints.")
final class ServeCommand extends RunCommand {
    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            required = true,
            description = "Where clients connect, like 10.0.0.7:7000; only this host's at 127.0.0.1:7000.")
    private String listen = "";

    @Override
    @Nullable
    InetSocketAddress listen() {
        return Address.toListen("--listen", listen, problems());
    }
}

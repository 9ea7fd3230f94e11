package org.reprobe.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.run.process.Worker;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code worker}: what {@code run} starts on this or another host. Its token comes in by standard input. */
@Command(name = "worker", hidden = true, description = "A server or client process; started by \"run\".")
public final class WorkerCommand implements Callable<Integer> {
    /** Files are deleted meanwhile, which a busy machine may take long for. */
    private static final long CLOSING_MS = 60_000;

    private static final long ENDING_MS = 2_000;

    @Option(names = "--connect", paramLabel = "ADDR", required = true, description = "Where the run is: host:port.")
    private String connect = "";

    @Option(names = "--tables", paramLabel = "DIR", description = "Where it keeps tables between runs.")
    private @Nullable Path tables;

    @Option(names = "--histories", paramLabel = "DIR", description = "Where its clients write what they are told.")
    private @Nullable Path histories;

    @Option(names = "--recording", paramLabel = "FILE", description = "Where it writes a recording of each run.")
    private @Nullable Path recording;

    @Override
    public Integer call() throws IOException {
        String token = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        if (token == null || token.isEmpty()) {
            throw new IOException("no token came by standard input");
        }
        String host = connect.substring(0, connect.lastIndexOf(':'));
        int port = Integer.parseInt(connect.substring(connect.lastIndexOf(':') + 1));
        if (host.equals("ssh")) {
            // "client-address client-port server-address server-port", the client being who started this.
            String[] connection =
                    System.getenv().getOrDefault("SSH_CONNECTION", "").split(" ", -1);
            if (connection.length != 4) {
                throw new IOException("SSH_CONNECTION is not set: was this started through ssh?");
            }
            host = connection[0];
        } else if (host.equals("srun")) {
            // The node where srun was called.
            host = System.getenv().getOrDefault("SLURM_LAUNCH_NODE_IPADDR", "");
            if (host.isEmpty()) {
                throw new IOException("SLURM_LAUNCH_NODE_IPADDR is not set: was this started through srun?");
            }
        }
        Worker.Folders folders = new Worker.Folders(tables, histories, recording);
        try (Worker worker = Worker.connect(host, port, Secret.of(token), List.of(), folders)) {
            try {
                return worker.work() ? ExitCode.FINE : ExitCode.FAILED;
            } finally {
                haltAfter(CLOSING_MS);
            }
        } finally {
            haltAfter(ENDING_MS);
        }
    }

    /** Clients that still run, or a fabric that hangs, must not keep this process. */
    private static void haltAfter(long ms) {
        Thread.ofPlatform().daemon().name("halt").start(() -> {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                // Then at once.
            }
            Runtime.getRuntime().halt(ExitCode.FAILED);
        });
    }
}

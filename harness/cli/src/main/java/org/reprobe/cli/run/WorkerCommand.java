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
import org.reprobe.doctor.Cores;
import org.reprobe.run.process.Worker;
import org.reprobe.system.Settings;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code worker}: process started by {@code run} on this or another host. It reads its token from standard input. */
@Command(name = "worker", hidden = true, description = "A server or client process; started by \"run\".")
public final class WorkerCommand implements Callable<Integer> {
    /** Timeout for deleting files when the worker closes, in ms. */
    private static final long CLOSING_MS = 60_000;

    private static final long ENDING_MS = 2_000;

    @Option(
            names = "--connect",
            paramLabel = "ADDR",
            required = true,
            description = "Address of the coordinator: host:port.")
    private String connect = "";

    @Option(names = "--tables", paramLabel = "DIR", description = "Folder of tables that are kept between runs.")
    private @Nullable Path tables;

    @Option(names = Worker.Folders.HISTORIES, paramLabel = "DIR", description = "Folder of its clients' histories.")
    private @Nullable Path histories;

    @Option(names = "--recording", paramLabel = "FILE", description = "File of the recordings of runs.")
    private @Nullable Path recording;

    @Option(names = Worker.Folders.LOGS, paramLabel = "DIR", description = "Folder of logs that stay.")
    private @Nullable Path logs;

    @Option(names = Worker.Folders.EARLIER_LOGS, paramLabel = "DIR", description = "Folders of logs to restart from.")
    private List<Path> earlierLogs = List.of();

    @Option(names = Worker.CORES, paramLabel = "LIST", description = "Cores that it runs on.")
    private String cores = Settings.Hosts.ALL_CORES;

    @Override
    public Integer call() throws IOException {
        if (!cores.equals(Settings.Hosts.ALL_CORES)) {
            Cores.pin(cores);
        }
        String token = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        if (token == null || token.isEmpty()) {
            throw new IOException("no token on standard input");
        }
        String host = connect.substring(0, connect.lastIndexOf(':'));
        int port = Integer.parseInt(connect.substring(connect.lastIndexOf(':') + 1));
        if (host.equals("ssh")) {
            // SSH_CONNECTION: client-address client-port server-address server-port; the client is the coordinator's
            // host.
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
        Worker.Folders folders = new Worker.Folders(tables, histories, recording, logs, earlierLogs);
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

    /** Ends the process after a time, even if clients still run or a fabric hangs. */
    private static void haltAfter(long ms) {
        Thread.ofPlatform().daemon().name("halt").start(() -> {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                // Ends at once then.
            }
            Runtime.getRuntime().halt(ExitCode.FAILED);
        });
    }
}

package org.reprobe.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.concurrent.FutureTask;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.trust.PrivateFolder;

/**
 * Executes, within a few seconds, the work of most commands and processes of runs, so that a JVM that records class
 * loading ({@code -XX:AOTCacheOutput}, JEP 483 and 514) makes a cache with which later ones start faster.
 */
public final class StartupTraining {
    private static final String SIMULATED = """
            title: Simulated
            clients: {machines: 1, threads: 2}
            table: {records: 4096, record-bytes: 16}
            sweep: {load-factor: [0.5, 0.6], scheme: [cuckoo-parallel, linear-variable, nessie]}
            measure: {repeats: 1, duration-ms: 0.05}
            figures:
              - {name: figure, title: Lookup throughput, x: load-factor, y: throughput, series: scheme}
            """;

    private static final String MEASURED = """
            title: Measured
            fabric: tcp
            scheme: linear-variable
            clients: {machines: 1, threads: 2}
            connection: {send-queue: 8, outstanding-reads: 4}
            table: {records: 4096, record-bytes: 16}
            measure: {repeats: 1, real-time-ms: 50}
            """;

    private StartupTraining() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        try (PrivateFolder folder = PrivateFolder.temporary("reprobe-training")) {
            Path dir = folder.path();
            String simulated =
                    Files.writeString(dir.resolve("simulated.yaml"), SIMULATED).toString();
            String measured =
                    Files.writeString(dir.resolve("measured.yaml"), MEASURED).toString();
            require(Reprobe.execute(nowhere(), System.err, "validate", simulated));
            require(Reprobe.execute(
                    nowhere(),
                    System.err,
                    "run",
                    simulated,
                    "--quiet",
                    "--out",
                    dir.resolve("out").toString()));
            serve(measured, dir);
        }
        System.exit(0);
    }

    /** Runs both sides in this JVM, for which {@code run} would start other processes. */
    private static void serve(String scenario, Path dir) throws Exception {
        try (PipedInputStream said = new PipedInputStream();
                PrintStream err = new PrintStream(new PipedOutputStream(said), true, StandardCharsets.UTF_8)) {
            PrintStream here = System.err;
            System.setErr(err); // prints its address and token
            FutureTask<Integer> server = new FutureTask<>(() -> Reprobe.execute(
                    nowhere(),
                    System.err,
                    "serve",
                    scenario,
                    "--listen",
                    "127.0.0.1:0",
                    "--out",
                    dir.resolve("served").toString()));
            Thread.ofPlatform().daemon().start(server);
            String address = "";
            String token = "";
            Scanner lines = new Scanner(said, StandardCharsets.UTF_8);
            while (token.isEmpty()) {
                String line = lines.nextLine();
                if (line.contains("--server ")) {
                    address = line.substring(line.lastIndexOf(' ') + 1);
                } else if (line.contains("--token-file: ")) {
                    token = line.substring(line.lastIndexOf(' ') + 1);
                }
            }
            System.setErr(here);
            Path file = Files.writeString(dir.resolve("token"), token);
            Thread.ofPlatform().daemon().start(() -> lines.forEachRemaining(_ -> {}));
            // The result is irrelevant: on a busy machine no lookup may begin in so short a time.
            int _ = Reprobe.execute(
                    nowhere(), System.err, "drive", scenario, "--server", address, "--token-file", file.toString());
            int _ = server.get();
        }
    }

    private static PrintStream nowhere() {
        return new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    }

    private static void require(int exit) throws IOException {
        if (exit != ExitCode.FINE) {
            throw new IOException("a command of the training ended with " + exit);
        }
    }
}

package org.reprobe.fabric.verbs;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;
import org.reprobe.verbs.Launch;

/**
 * DiSNI's example programs, unchanged, each a server and its client in one process: virtual machines start a JVM
 * slowly.
 */
final class DisniExamplesInGuest {
    private static final String ADDRESS = System.getenv().getOrDefault("REPROBE_VM_ADDRESS", "");
    private static final int LIMIT_S = 240;

    @Test
    void verbs() throws Exception {
        run("Verbs", 1919);
    }

    @Test
    void read() throws Exception {
        run("Read", 1920);
    }

    @Test
    void sendRecv() throws Exception {
        run("SendRecv", 1921);
    }

    private static void run(String example, int port) throws Exception {
        FutureTask<Void> server = start(example + "Server", port);
        awaitListening(server, port);
        start(example + "Client", port).get(LIMIT_S, TimeUnit.SECONDS);
        server.get(LIMIT_S, TimeUnit.SECONDS);
    }

    private static FutureTask<Void> start(String program, int port) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            try {
                Launch.main(
                        new String[] {"com.ibm.disni.examples." + program, "-a", ADDRESS, "-p", String.valueOf(port)});
            } catch (Exception | Error failed) {
                throw failed;
            } catch (Throwable failed) {
                throw new ExecutionException(failed);
            }
            return null;
        });
        Thread thread = new Thread(task, program);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Polls the kernel: a server prints nothing when it listens. */
    private static void awaitListening(FutureTask<Void> server, int port) throws Exception {
        for (int tries = 0; tries < 5 * LIMIT_S; tries++) {
            Process process = new ProcessBuilder("rdma", "resource", "show", "cm_id").start();
            String ids = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (ids.lines().anyMatch(id -> id.contains("LISTEN") && id.contains(ADDRESS + ":" + port))) {
                return;
            }
            if (server.isDone()) {
                server.get();
            }
            Thread.sleep(200);
        }
        throw new FabricException("no listener at port " + port);
    }
}

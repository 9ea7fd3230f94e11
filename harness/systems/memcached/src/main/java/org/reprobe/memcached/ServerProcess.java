package org.reprobe.memcached;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.program.Executable;

/**
 * Memcached started by this process on a port that is reachable only from this host. A guarding shell kills memcached
 * when the standard input of the shell ends: on {@link #close}, and when this process ends in any way.
 */
final class ServerProcess implements AutoCloseable {
    static final String PROGRAM = "memcached";

    static final String MISSING =
            "it needs the program memcached, which is not installed here; on Debian, as root: apt-get install memcached";

    /**
     * Shell script that runs its arguments as a command and waits for its end. A background reader kills the command at
     * the end of the standard input. No other process holds the command's output open, so the output ends with the
     * command.
     */
    private static final String GUARD = """
            exec 3<&0
            "$@" 3<&- </dev/null &
            server=$!
            { cat <&3; kill -KILL $server; } >/dev/null 2>&1 &
            exec 3<&-
            wait $server
            """;

    private static final int ATTEMPTS = 5;
    private static final long START_MS = 10_000;
    private static final long LOOK_MS = 20;
    /** Time in milliseconds within which a memcached that cannot bind its port ends. */
    private static final long END_OF_START_MS = 100;

    private static final long END_MS = 5_000;

    private final Process guard;
    private final ServerAddress address;

    private ServerProcess(Process guard, ServerAddress address) {
        this.guard = guard;
        this.address = address;
    }

    static boolean isInstalled() {
        return Executable.isInstalled(PROGRAM);
    }

    /** Starts memcached on a free port, with {@code memoryMib} MiB for items. */
    static ServerProcess start(long memoryMib, int threads) throws FabricException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return start(freePort(), memoryMib, threads);
            } catch (FabricException e) {
                if (attempt == ATTEMPTS || !isInstalled()) { // otherwise another process may have taken the port
                    throw e;
                }
            }
        }
    }

    static ServerProcess start(int port, long memoryMib, int threads) throws FabricException, InterruptedException {
        Path program = Executable.among(System.getenv("PATH"), PROGRAM);
        if (program == null) {
            throw new FabricException(MISSING);
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "sh", program.toString()));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        ServerAddress address = ServerAddress.local(port);
        command.addAll(List.of("-l", address.host(), "-p", "" + port, "-m", "" + memoryMib, "-t", "" + threads));
        ServerProcess started;
        try {
            started = new ServerProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start(), address);
        } catch (IOException e) {
            throw new FabricException("memcached can't be started: " + e.getMessage(), e);
        }
        boolean ready = false;
        try {
            started.awaitReady();
            ready = true;
            return started;
        } finally {
            if (!ready) {
                started.close();
            }
        }
    }

    /** Waits until memcached replies; fails if it ends, is late, or another process has the port. */
    private void awaitReady() throws FabricException, InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS);
        while (!Connection.isReachable(address)) {
            if (guard.waitFor(LOOK_MS, TimeUnit.MILLISECONDS) || System.nanoTime() > endNs) {
                throw notStarted(text());
            }
        }
        if (guard.waitFor(END_OF_START_MS, TimeUnit.MILLISECONDS)) { // another process listens
            throw notStarted(text());
        }
        try (Connection connection = new Connection(address, 1)) {
            long pid = connection.statistic("pid");
            if (guard.children().noneMatch(child -> child.pid() == pid)) {
                throw notStarted(": another server has the port");
            }
        } catch (FabricException e) {
            // If another process has the port, memcached ends, perhaps late on a busy machine.
            throw guard.waitFor(END_OF_START_MS, TimeUnit.MILLISECONDS) ? notStarted(text()) : e;
        }
    }

    private FabricException notStarted(String why) {
        return new FabricException("memcached did not start at " + address + why);
    }

    /** Returns the last line of memcached's output, after a colon; empty if there is none. */
    private String text() {
        if (guard.isAlive()) {
            return "";
        }
        try {
            String output = new String(guard.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return output.isEmpty() ? "" : ": " + output.substring(output.lastIndexOf('\n') + 1);
        } catch (IOException e) {
            return "";
        }
    }

    private static int freePort() throws FabricException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new FabricException("there is no free port for memcached: " + e.getMessage(), e);
        }
    }

    ServerAddress address() {
        return address;
    }

    boolean isAlive() {
        return guard.isAlive();
    }

    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        try {
            guard.waitFor(END_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the shell kills memcached in any case
        }
    }
}

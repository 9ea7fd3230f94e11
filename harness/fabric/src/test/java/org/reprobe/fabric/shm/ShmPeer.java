package org.reprobe.fabric.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.testing.Project;

/** Server or client process started by tests. */
final class ShmPeer {
    static final ConnectionOptions OPTIONS = new ConnectionOptions(16, 16, 16);

    private ShmPeer() {}

    /** Started process, whose first output line reports that it runs. */
    static final class Started implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;

        Started(Object... arguments) throws IOException {
            List<String> command = Project.java();
            command.addAll(List.of(
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    ShmPeer.class.getName()));
            for (Object argument : arguments) {
                command.add(argument.toString());
            }
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        String line() throws IOException {
            return String.valueOf(out.readLine());
        }

        long pid() {
            return process.pid();
        }

        void kill() {
            process.destroyForcibly();
        }

        int exitCode() throws InterruptedException {
            return process.waitFor();
        }

        @Override
        public void close() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        switch (arguments[0]) {
            case "serve" -> serve(Path.of(arguments[1]), out);
            case "add" -> add(arguments, out);
            case "hang" -> hang(arguments[1], out);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void serve(Path place, PrintStream out) throws Exception {
        try (ShmServer server = ShmServer.open(place)) {
            MemorySegment memory = server.allocate(64);
            memory.set(ValueLayout.JAVA_LONG, 0, 4711);
            RemoteRegion region = server.register(memory);
            out.println(server.endpoint() + " " + region.address() + " " + region.key());
            server.serve(1, program -> {
                program.accept(program.allocate(64), OPTIONS);
                program.await(new Completions(1));
            });
        } catch (FabricException e) {
            out.println(e.getMessage());
        }
    }

    private static void add(String[] arguments, PrintStream out) throws Exception {
        try (ShmClients clients = ShmClients.connect(Servers.one(arguments[1]))) {
            RemoteRegion region = new RemoteRegion(Long.parseLong(arguments[2]), 64, Integer.parseInt(arguments[3]));
            int additions = Integer.parseInt(arguments[4]);
            clients.run(Group.alone(2), client -> add(client, region, additions));
            out.println("added");
        }
    }

    private static void hang(String endpoint, PrintStream out) throws Exception {
        try (ShmClients clients = ShmClients.connect(Servers.one(endpoint))) {
            clients.run(Group.alone(1), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                queuePair.receive(1, 0, 8);
                out.println("waits");
                queuePair.await(new Completions(1));
            });
        } catch (FabricException e) {
            out.println(e.getMessage());
        }
    }

    static void add(Client client, RemoteRegion region, int additions) throws FabricException {
        MemorySegment local = client.allocate(64);
        QueuePair queuePair = client.connect(local, OPTIONS);
        Completions completions = new Completions(1);
        long expected = 0;
        for (int done = 0; done < additions; ) {
            queuePair.compareAndSwap(1, 0, region.address(), region.key(), expected, expected + 1, true);
            queuePair.doorbell();
            queuePair.await(completions);
            if (completions.status(0) != Status.SUCCESS) {
                throw new FabricException(completions.status(0).text());
            }
            long before = local.get(ValueLayout.JAVA_LONG, 0);
            if (before == expected) {
                done++;
                expected++;
            } else {
                expected = before;
            }
        }
    }
}

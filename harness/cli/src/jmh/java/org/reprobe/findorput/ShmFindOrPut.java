package org.reprobe.findorput;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.workload.Rng;

/**
 * find-or-put by two processes over shared memory, end to end, beside the minimum: a loop over the same buckets in the
 * same files, with a compare-and-swap where one is empty. Half of the operations find, half insert, in a table that is
 * half full. Not with JMH, which measures one process; prints one row per mode.
 */
public final class ShmFindOrPut {
    private static final int PROCESSES = 2;
    private static final long BUCKETS = 1 << 22;
    private static final long LOADED = BUCKETS / 2;
    private static final int WARM_UP_OPERATIONS = 1_500_000;
    private static final int OPERATIONS = 200_000;
    private static final int ROUNDS = 5;
    private static final VarHandle BUCKET = ValueLayout.JAVA_LONG.varHandle();
    private static final LongUnaryOperator DATA = number -> Rng.at(1, number) >>> 1;

    private ShmFindOrPut() {}

    private enum Mode {
        PLAIN_LOOP,
        FIND_OR_PUT
    }

    @FunctionalInterface
    private interface Operation {
        FindOrPutResult of(long data) throws FabricException;
    }

    /** Runs everything without arguments; with arguments one of the processes. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            process(arguments);
            return;
        }
        PrintStream out = System.out;
        out.printf("%-12s %5s %28s%n", "mode", "C", "M operations/s, each process");
        for (int chunk : new int[] {8, 32}) {
            for (Mode mode : Mode.values()) {
                if (mode == Mode.FIND_OR_PUT || chunk == 8) {
                    out.printf("%-12s %5s   %s%n", mode, mode == Mode.PLAIN_LOOP ? "-" : chunk, rates(mode, chunk));
                }
            }
        }
    }

    private static String rates(Mode mode, int chunk) throws Exception {
        try (ShmServer server = ShmServer.open()) {
            MemorySegment memory = server.allocate(BUCKETS * Long.BYTES);
            RemoteRegion region = server.register(memory);
            FindOrPutWorkload.load(table(region, memory), LOADED, DATA);
            List<Process> processes = new ArrayList<>();
            try {
                List<BufferedReader> readers = new ArrayList<>();
                for (int i = 0; i < PROCESSES; i++) {
                    Process process = start(mode, chunk, i, server.endpoint(), region);
                    processes.add(process);
                    readers.add(new BufferedReader(
                            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
                }
                List<String> rounds = new ArrayList<>();
                for (int round = 0; round < ROUNDS; round++) {
                    for (BufferedReader reader : readers) {
                        expect(reader, "ready");
                    }
                    for (Process process : processes) {
                        PrintWriter to = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
                        to.println("go");
                    }
                    List<String> rates = new ArrayList<>();
                    for (BufferedReader reader : readers) {
                        rates.add(String.valueOf(reader.readLine()));
                    }
                    rounds.add(String.join(" + ", rates));
                }
                return String.join(", ", rounds);
            } finally {
                processes.forEach(Process::destroyForcibly);
            }
        }
    }

    private static void expect(BufferedReader reader, String word) throws IOException {
        String line = reader.readLine();
        if (!word.equals(line)) {
            throw new IOException("a process said " + line + ", not " + word);
        }
    }

    private static SharedTable table(RemoteRegion region, MemorySegment memory) {
        return new SharedTable(BUCKETS, BUCKETS, List.of(region), List.of(memory));
    }

    private static Process start(Mode mode, int chunk, int index, String endpoint, RemoteRegion region)
            throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShmFindOrPut.class.getName(),
                        mode.name(),
                        String.valueOf(chunk),
                        String.valueOf(index),
                        endpoint,
                        String.valueOf(region.address()),
                        String.valueOf(region.bytes()),
                        String.valueOf(region.key()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void process(String[] arguments) throws Exception {
        int chunk = Integer.parseInt(arguments[1]);
        int index = Integer.parseInt(arguments[2]);
        String endpoint = arguments[3];
        RemoteRegion region = new RemoteRegion(
                Long.parseLong(arguments[4]), Long.parseLong(arguments[5]), Integer.parseInt(arguments[6]));
        if (Mode.valueOf(arguments[0]) == Mode.PLAIN_LOOP) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = map(endpoint, arena);
                SharedTable table = table(region, memory);
                time(index, data -> plain(table, memory, data));
            }
        } else {
            try (ShmClients clients = ShmClients.connect(Servers.one(endpoint))) {
                clients.run(Group.alone(1), client -> {
                    SharedTable table = table(region, MemorySegment.NULL);
                    FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(chunk), 1024, true);
                    time(index, process::findOrPut);
                });
            }
        }
    }

    /** Maps the server's file of the buckets: the only one of that length. */
    private static MemorySegment map(String endpoint, Arena arena) throws IOException {
        try (Stream<Path> files = Files.list(Path.of(URI.create(endpoint)))) {
            Path buckets = files.filter(file -> file.toFile().length() == BUCKETS * Long.BYTES)
                    .findFirst()
                    .orElseThrow();
            try (FileChannel channel = FileChannel.open(buckets, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, BUCKETS * Long.BYTES, arena);
            }
        }
    }

    private static FindOrPutResult plain(SharedTable table, MemorySegment memory, long data) {
        long bucket = SharedTable.bucketOf(data);
        for (long at = table.home(data); ; at = at + 1 == BUCKETS ? 0 : at + 1) {
            long there = (long) BUCKET.getVolatile(memory, at * Long.BYTES);
            if (there == 0) {
                there = (long) BUCKET.compareAndExchange(memory, at * Long.BYTES, 0L, bucket);
                if (there == 0) {
                    return FindOrPutResult.INSERTED;
                }
            }
            if (there == bucket) {
                return FindOrPutResult.FOUND;
            }
        }
    }

    private static void time(int index, Operation operation) throws FabricException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = System.out;
        long next = (index + 1L) << 40;
        for (int i = 0; i < WARM_UP_OPERATIONS; i++) {
            find(operation, i);
        }
        try {
            for (int round = 0; round < ROUNDS; round++) {
                out.println("ready");
                in.readLine();
                long beganNs = System.nanoTime();
                for (int i = 0; i < OPERATIONS / 2; i++) {
                    find(operation, round * (long) OPERATIONS + i);
                    if (operation.of(DATA.applyAsLong(next++)) != FindOrPutResult.INSERTED) {
                        throw new FabricException("something new was found");
                    }
                }
                out.printf("%.2f%n", OPERATIONS * 1e3 / (System.nanoTime() - beganNs));
            }
        } catch (IOException e) {
            throw new FabricException("no start signal", e);
        }
    }

    private static void find(Operation operation, long number) throws FabricException {
        long known = Math.unsignedMultiplyHigh(Rng.at(2, number), LOADED);
        if (operation.of(DATA.applyAsLong(known)) != FindOrPutResult.FOUND) {
            throw new FabricException("something was lost");
        }
    }
}

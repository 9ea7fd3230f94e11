package org.reprobe.run.crew;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.run.CellRun;
import org.reprobe.run.Fabrics;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.scenario.Settings;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.LookupCounters;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableCache;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.KeySets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A server or client process: does what the coordinating process says until that ends. It is whatever it is asked to be: a
 * server keeps a table and waits passively, a client runs lookups.
 */
public final class Peer implements AutoCloseable {
    private static final int CONNECT_MS = 10_000;
    private static final long COMPILING_NS = 2_000_000_000;

    private final Line line;
    private final Path folder;
    private final ExecutorService worker = Executors.newSingleThreadExecutor();
    private final SynchronousQueue<JsonNode> gates = new SynchronousQueue<>();
    /** Kinds of lookups that this process has run. */
    private final Set<String> compiled = new HashSet<>();

    private final Map<String, Scenario> scenarios = new HashMap<>();
    private final String address;
    private @Nullable FabricServer server;
    private String serving = "";
    private @Nullable TableImage image;
    private @Nullable RemoteRegion table;
    private @Nullable RemoteRegion heap;

    private Peer(Line line, Path folder, String address) {
        this.line = line;
        this.folder = folder;
        this.address = address;
    }

    /**
     * Connects to the coordinating process.
     *
     * @param address of this host that the others can reach
     * @param scenarios those that this process is meant for; none for any
     */
    public static Peer connect(String host, int port, String token, String address, List<String> scenarios)
            throws IOException {
        ObjectNode hello = Line.message("hello")
                .put("token", token)
                .put("pid", ProcessHandle.current().pid());
        scenarios.forEach(hello.putArray("scenarios")::add);
        byte[] words = Line.bytes(hello); // made first: the other side waits for them for seconds only
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
        Line line = new Line(socket);
        line.deadline(Line.SILENCE_MS);
        line.send(words);
        return new Peer(line, Files.createTempDirectory("reprobe-peer"), address);
    }

    /**
     * Works until told to end.
     *
     * @return true when told so in order; false when the coordinating process is gone
     * @throws IOException when it refused this one, hangs, or ended this one because something failed; in words
     */
    public boolean work() throws IOException {
        while (true) {
            JsonNode message;
            try {
                message = line.receive();
            } catch (SocketTimeoutException e) {
                throw new IOException("has said nothing for " + Line.SILENCE_MS / 1000 + " s: it hangs", e);
            } catch (IOException e) {
                return false;
            }
            if (message == null) {
                return false;
            }
            switch (message.get("type").stringValue()) {
                case "ping" -> line.send(Line.message("pong"));
                case "end" -> {
                    if (message.has("why")) {
                        throw new IOException(
                                "the run failed: " + message.get("why").stringValue());
                    }
                    return true;
                }
                case "refused" -> throw new IOException(message.get("why").stringValue());
                case "go" -> {
                    try {
                        gates.put(message);
                    } catch (InterruptedException e) {
                        return false;
                    }
                }
                default -> worker.execute(() -> perform(message));
            }
        }
    }

    private void perform(JsonNode message) {
        ObjectNode answer;
        try {
            answer = switch (message.get("type").stringValue()) {
                case "scenario" -> scenario(message);
                case "prepare" -> prepare(message);
                case "run" -> run(message);
                default -> throw new FabricException("this process does not know what to do: is it the same Reprobe?");
            };
        } catch (FabricException | TableRefusedException e) {
            answer = failed(e.getMessage());
        } catch (InvalidInputException e) {
            answer = failed(String.valueOf(e.problems().getFirst()));
        } catch (OutOfMemoryError e) {
            answer = failed("not enough memory; use fewer clients, a shorter send queue or a smaller table");
        } catch (IOException | RuntimeException | Error e) {
            answer = failed("failed unexpectedly: " + e);
        } catch (InterruptedException e) {
            answer = failed("was interrupted");
        }
        try {
            line.send(answer);
        } catch (IOException e) {
            line.close(); // nobody to tell: work() ends
        }
    }

    private static ObjectNode failed(@Nullable String why) {
        return Line.message("failed").put("why", String.valueOf(why));
    }

    private ObjectNode scenario(JsonNode message) throws IOException, InvalidInputException {
        String name = message.get("name").stringValue();
        Path nics = Files.createDirectories(folder.resolve("nics"));
        for (Map.Entry<String, JsonNode> nic : message.get("nics").properties()) {
            Files.writeString(
                    nics.resolve(nic.getKey() + ".yaml"), nic.getValue().stringValue());
        }
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, message.get("yaml").stringValue());
        scenarios.put(name, new ScenarioReader(nics).read(file, ScenarioReader.Options.of(Scale.QUICK)));
        return Line.message("known");
    }

    private Settings settings(JsonNode message) throws FabricException {
        Scenario scenario = scenarios.get(message.get("scenario").stringValue());
        if (scenario == null) {
            throw new FabricException("this process was not told of the scenario");
        }
        return scenario.cells().get(message.get("cell").intValue()).settings();
    }

    /** The server's part: a table that clients can reach. */
    private ObjectNode prepare(JsonNode message) throws FabricException, TableRefusedException {
        Settings settings = settings(message);
        FabricServer here = server(settings.fabric(), message.get("address").stringValue());
        TableSpec spec = settings.tableSpec(message.get("repeat").intValue());
        TableImage built = image;
        if (built == null || !built.spec().equals(spec)) {
            release();
            built = build(spec, here, message);
            image = built;
            table = here.register(built.table());
            MemorySegment heapMemory = built.heap();
            heap = heapMemory == null ? null : here.register(heapMemory);
        }
        ObjectNode prepared = Line.message("prepared").put("endpoint", here.endpoint());
        prepared.set("table", region(java.util.Objects.requireNonNull(table)));
        if (heap != null) {
            prepared.set("heap", region(heap));
        }
        return prepared.put("table-bytes", built.geometry().tableBytes())
                .put("heap-bytes", built.geometry().heapBytes());
    }

    private FabricServer server(String fabric, String asked) throws FabricException {
        FabricServer here = server;
        if (here == null || !serving.equals(fabric)) {
            close(here);
            here = Fabrics.serve(fabric, asked.isEmpty() ? address : asked);
            server = here;
            serving = fabric;
        }
        return here;
    }

    private static TableImage build(TableSpec spec, FabricServer server, JsonNode message)
            throws FabricException, TableRefusedException {
        int threads = message.get("threads").intValue();
        org.reprobe.memory.Memory memory = (bytes, arena) -> shared(server, bytes, arena);
        try {
            JsonNode cache = message.path("cache");
            return cache.isString()
                    ? new TableCache(Path.of(cache.stringValue()), notice -> {}).load(spec, threads, memory)
                    : TableBuilder.build(spec, threads, Long.MAX_VALUE, memory);
        } catch (SharedMemoryException e) {
            throw e.reason;
        }
    }

    @SuppressWarnings("restricted") // ties the fabric's memory to the table's arena
    private static MemorySegment shared(FabricServer server, long bytes, Arena arena) {
        try {
            MemorySegment memory = server.allocate(bytes);
            return memory.reinterpret(bytes, arena, _ -> server.free(memory));
        } catch (FabricException e) {
            throw new SharedMemoryException(e);
        }
    }

    /** Carries a fabric's refusal through the table builder. */
    private static final class SharedMemoryException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient FabricException reason;

        SharedMemoryException(FabricException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private void release() throws FabricException {
        FabricServer here = server;
        if (here != null && table != null) {
            here.deregister(table);
            if (heap != null) {
                here.deregister(heap);
            }
        }
        table = null;
        heap = null;
        if (image != null) {
            image.close();
            image = null;
        }
    }

    /** A region as a message. */
    static ObjectNode region(RemoteRegion region) {
        return Line.message("region")
                .put("address", region.address())
                .put("bytes", region.bytes())
                .put("key", region.key());
    }

    /** The region that a message names. */
    static RemoteRegion region(JsonNode region) {
        return new RemoteRegion(
                region.get("address").longValue(),
                region.get("bytes").longValue(),
                region.get("key").intValue());
    }

    /** A client process' part: its threads' lookups. */
    private ObjectNode run(JsonNode message)
            throws FabricException, InvalidInputException, IOException, InterruptedException {
        Settings settings = settings(message);
        NicProfile nic = NicProfiles.load(folder.resolve("nics"), settings.nic());
        TableSpec spec = settings.tableSpec(message.get("repeat").intValue());
        JsonNode prepared = message.get("prepared");
        TableGeometry geometry = TableGeometry.of(spec)
                .withTableBytes(prepared.get("table-bytes").longValue())
                .withHeapBytes(prepared.get("heap-bytes").longValue());
        JsonNode heapRegion = prepared.path("heap");
        RemoteTable remote = new RemoteTable(
                geometry, region(prepared.get("table")), heapRegion.isObject() ? region(heapRegion) : null);
        int count = message.get("count").intValue();
        int total = CellRun.clients(settings);
        LookupClient.Plan plan = CellRun.lookups(
                settings,
                nic,
                remote,
                KeySets.of(spec.keys(), spec.records(), spec.seed()),
                message.get("seed").longValue());
        // The first lookups of a kind in a process are interpreted and compiled, whatever the scenario's warm-up is.
        boolean first = compiled.add(settings.fabric() + " " + settings.scheme() + " " + spec.storage());
        LookupClient clients = new LookupClient(first ? plan.warmedUp(COMPILING_NS) : plan, total);
        try (FabricClients half = Fabrics.connect(
                        settings.fabric(), prepared.get("endpoint").stringValue());
                Stalls stalls = Stalls.begin()) {
            half.run(new FabricClients.Crew(message.get("first").intValue(), count, total, barrier(count)), clients);
            return counted(clients.counters(), stalls);
        }
    }

    private static ObjectNode counted(LookupCounters counters, Stalls stalls) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counters.write(new DataOutputStream(bytes));
        return Line.message("counted")
                .put("counters", Base64.getEncoder().encodeToString(bytes.toByteArray()))
                .put("stall-ns", stalls.longestNs())
                .put("stall-share", stalls.share())
                .put("gc-ns", stalls.gcNs());
    }

    /** The threads meet here; the last one goes to meet the other processes'. */
    private FabricClients.Barrier barrier(int count) {
        CyclicBarrier here = new CyclicBarrier(count, () -> {
            try {
                line.send(Line.message("at-barrier"));
                gates.take();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        return () -> {
            try {
                here.await();
            } catch (BrokenBarrierException | IllegalStateException e) {
                throw new FabricException("the run was ended", e);
            }
        };
    }

    private static void close(@Nullable FabricServer server) {
        if (server != null) {
            server.close();
        }
    }

    /** Frees what this process holds. Whatever still runs in it ends with the process. */
    @Override
    public void close() throws IOException {
        line.close();
        worker.shutdownNow();
        close(server);
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}

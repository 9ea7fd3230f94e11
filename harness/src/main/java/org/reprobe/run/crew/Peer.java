package org.reprobe.run.crew;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.Serving;
import org.reprobe.remote.Tally;
import org.reprobe.remote.Workload;
import org.reprobe.run.CellRun;
import org.reprobe.run.Fabrics;
import org.reprobe.run.ProtocolClients;
import org.reprobe.run.ProtocolServer;
import org.reprobe.run.ServedTable;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.scenario.Settings;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableCache;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.trust.Printable;
import org.reprobe.trust.PrivateFolder;
import org.reprobe.trust.Secret;
import org.reprobe.workload.KeySets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A server or client process: does what the coordinating process says until that ends. It is whatever it is asked to be, also
 * both at once: a server keeps a table and runs its program if there is one, a client looks keys up or runs a protocol.
 */
public final class Peer implements AutoCloseable {
    /** Of NIC profiles, whose files are named after them. */
    private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private final Line line;
    private final PrivateFolder folder;
    /** Where tables are kept between runs; null for nowhere. Of our own command line: the other process may name none. */
    private final @Nullable Path tables;

    private final ExecutorService worker = Executors.newSingleThreadExecutor();
    /** Filled by the thread that answers pings, which must not wait until one of many busy threads takes something. */
    private final BlockingQueue<JsonNode> gates = new LinkedBlockingQueue<>();

    /** Kinds of lookups that this process has run. */
    private final Set<String> compiled = new HashSet<>();

    private final Map<String, Scenario> scenarios = new HashMap<>();
    private @Nullable FabricServer server;
    private String served = "";
    private @Nullable ProtocolServer protocol;
    private @Nullable Serving program;
    private @Nullable TableImage image;
    private @Nullable RemoteRegion table;
    private @Nullable RemoteRegion heap;

    private Peer(Line line, PrivateFolder folder, @Nullable Path tables) {
        this.line = line;
        this.folder = folder;
        this.tables = tables;
    }

    /**
     * Connects to the coordinating process.
     *
     * @param scenarios those that this process is meant for; none for any
     * @param tables where tables are kept between runs; null to build them anew
     */
    public static Peer connect(String host, int port, Secret secret, List<String> scenarios, @Nullable Path tables)
            throws IOException {
        ObjectNode introduction = Line.message("introduction");
        scenarios.forEach(introduction.putArray("scenarios")::add);
        Line line = Line.connect(host, port, secret, introduction);
        try {
            return new Peer(line, PrivateFolder.temporary("reprobe-peer"), tables);
        } catch (IOException e) {
            line.close();
            throw e;
        }
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
                        throw new IOException("the run failed: " + Line.words(message, "why"));
                    }
                    return true;
                }
                case "go" -> gates.add(message);
                default -> worker.execute(() -> perform(message));
            }
        }
    }

    private void perform(JsonNode message) {
        ObjectNode answer;
        try {
            answer = switch (message.get("type").stringValue()) {
                case "scenario" -> scenario(message);
                case "open" -> open(message);
                case "reach" -> reach(message);
                case "prepare" -> prepare(message);
                case "run" -> run(message);
                case "finish" -> finish(message);
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

    /** Files get names of our own, or such that can't lead anywhere else. */
    private ObjectNode scenario(JsonNode message) throws FabricException, IOException, InvalidInputException {
        String name = message.get("name").stringValue();
        Path nics = Files.createDirectories(folder.path().resolve("nics"));
        for (Map.Entry<String, JsonNode> nic : message.get("nics").properties()) {
            if (!FILE_NAME.matcher(nic.getKey()).matches()) {
                throw new FabricException(
                        "was sent a NIC profile with a name that is none: " + Printable.line(nic.getKey()));
            }
            Files.writeString(
                    nics.resolve(nic.getKey() + ".yaml"), nic.getValue().stringValue());
        }
        Path file = folder.path().resolve("scenario-" + scenarios.size() + ".yaml");
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

    /** A server without a table. */
    private ObjectNode open(JsonNode message) throws FabricException {
        FabricServer here =
                server(settings(message).fabric(), message.get("address").stringValue());
        return Line.message("opened").put("endpoint", line.seal(here.endpoint()));
    }

    /** Connects one client to each server, and ends that. */
    private ObjectNode reach(JsonNode message) throws FabricException, IOException, InterruptedException {
        List<String> endpoints = endpoints(message);
        int own = message.get("own").intValue();
        try (FabricClients half = Fabrics.connect(settings(message).fabric(), new Servers(endpoints, own))) {
            half.run(new FabricClients.Crew(0, 1, 1, () -> {}), client -> {
                for (int i = 0; i < endpoints.size(); i++) {
                    if (i != own) {
                        client.connect(i, client.allocate(64), ConnectionOptions.oneSided(1, 1))
                                .close();
                    }
                }
            });
        }
        return Line.message("reached");
    }

    private List<String> endpoints(JsonNode message) throws IOException {
        List<String> endpoints = new ArrayList<>();
        for (JsonNode server : message.get("servers")) {
            endpoints.add(line.open(server.get("endpoint")));
        }
        return endpoints;
    }

    /** The server's part: a table that clients can reach. */
    private ObjectNode prepare(JsonNode message) throws FabricException, TableRefusedException, InterruptedException {
        Settings settings = settings(message);
        return settings.scheme().isProtocol() ? prepareProtocol(settings, message) : prepareTable(settings, message);
    }

    /** A table that lookups leave as it is, so that it is kept until another one is asked for. */
    private ObjectNode prepareTable(Settings settings, JsonNode message) throws FabricException, TableRefusedException {
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
        ObjectNode prepared = prepared(here.endpoint(), Objects.requireNonNull(table));
        if (heap != null) {
            prepared.set("heap", region(heap));
        }
        return prepared.put("table-bytes", built.geometry().tableBytes())
                .put("heap-bytes", built.geometry().heapBytes());
    }

    /** A table that is written is for one run, and so is its server. */
    private ObjectNode prepareProtocol(Settings settings, JsonNode message)
            throws FabricException, InterruptedException {
        release();
        endServer();
        FabricServer here = server(settings.fabric(), message.get("address").stringValue());
        ProtocolServer half = ProtocolServer.of(
                settings,
                message.get("repeat").intValue(),
                message.get("machine").intValue(),
                List.of(here));
        protocol = half;
        ObjectNode prepared = prepared(here.endpoint(), half.regions().getFirst());
        ServerProgram answering = half.program();
        if (answering != null) {
            program = Serving.begin(here, CellRun.clients(settings), answering);
        }
        return prepared;
    }

    /** The endpoint may hold a token: it goes sealed. */
    private ObjectNode prepared(String endpoint, RemoteRegion table) {
        ObjectNode prepared = Line.message("prepared").put("endpoint", line.seal(endpoint));
        prepared.set("table", region(table));
        return prepared;
    }

    /**
     * The server's last part: its program has ended when all clients have, and what they have counted is compared with its
     * memory.
     */
    private ObjectNode finish(JsonNode message) throws FabricException, IOException, InterruptedException {
        Serving answering = program;
        if (answering != null) {
            answering.await();
        }
        ProtocolServer half = Objects.requireNonNull(protocol);
        ObjectNode finished = Line.message("finished")
                .put("contradiction", half.contradiction(Tally.read(Line.data(message, "counters"))));
        endServer();
        return finished;
    }

    private FabricServer server(String fabric, String asked) throws FabricException {
        FabricServer here = server;
        if (here == null || !served.equals(fabric)) {
            release();
            endServer();
            here = Fabrics.serve(fabric, asked.isEmpty() ? line.localHost() : asked);
            server = here;
            served = fabric;
        }
        return here;
    }

    private void endServer() {
        if (program != null) {
            program.close();
            program = null;
        }
        if (server != null) {
            server.close();
            server = null;
        }
        protocol = null;
    }

    private TableImage build(TableSpec spec, FabricServer server, JsonNode message)
            throws FabricException, TableRefusedException {
        int threads = message.get("threads").intValue();
        org.reprobe.memory.Memory memory = (bytes, arena) -> shared(server, bytes, arena);
        try {
            return tables != null
                    ? new TableCache(tables, notice -> {}).load(spec, threads, memory)
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

    /** A client process' part: what its threads do. */
    private ObjectNode run(JsonNode message)
            throws FabricException, InvalidInputException, IOException, InterruptedException {
        Settings settings = settings(message);
        NicProfile nic = NicProfiles.load(folder.path().resolve("nics"), settings.nic());
        if (settings.scheme().isProtocol()) {
            Workload workload = ProtocolClients.of(
                    settings,
                    message.has("rehearsal-ms")
                            ? new Settings.Measure(
                                    1, 0, message.get("rehearsal-ms").intValue())
                            : settings.measure(),
                    nic,
                    message.get("repeat").intValue(),
                    servedTable(message),
                    message.get("seed").longValue());
            return run(settings, message, workload, out -> workload.tally().write(out));
        }
        LookupClient clients = lookups(settings, nic, message);
        return run(settings, message, clients, out -> clients.counters().write(out));
    }

    private ServedTable servedTable(JsonNode message) {
        List<RemoteRegion> regions = new ArrayList<>();
        message.get("servers").forEach(prepared -> regions.add(region(prepared.get("table"))));
        return message.get("own").intValue() == Servers.NONE
                ? ServedTable.elsewhere(regions)
                : Objects.requireNonNull(protocol).table(regions);
    }

    private LookupClient lookups(Settings settings, NicProfile nic, JsonNode message) {
        TableSpec spec = settings.tableSpec(message.get("repeat").intValue());
        JsonNode prepared = message.get("servers").get(0);
        TableGeometry geometry = TableGeometry.of(spec)
                .withTableBytes(prepared.get("table-bytes").longValue())
                .withHeapBytes(prepared.get("heap-bytes").longValue());
        JsonNode heapRegion = prepared.path("heap");
        RemoteTable remote = new RemoteTable(
                geometry, region(prepared.get("table")), heapRegion.isObject() ? region(heapRegion) : null);
        LookupClient.Plan plan = CellRun.lookups(
                settings,
                nic,
                remote,
                KeySets.of(spec.keys(), spec.records(), spec.seed()),
                message.get("seed").longValue(),
                null);
        // The first lookups of a kind in a process are interpreted and compiled, whatever the scenario's warm-up is.
        boolean first = compiled.add(settings.fabric() + " " + settings.scheme() + " " + spec.storage());
        long compilingNs = first ? 1_000_000L * message.get("compiling-ms").intValue() : 0;
        return new LookupClient(plan.warmedUp(compilingNs), CellRun.clients(settings));
    }

    /** Writes what clients have counted. */
    @FunctionalInterface
    private interface Counts {
        void write(DataOutput out) throws IOException;
    }

    private ObjectNode run(Settings settings, JsonNode message, ClientProgram clients, Counts counts)
            throws FabricException, IOException, InterruptedException {
        List<String> endpoints = endpoints(message);
        int count = message.get("count").intValue();
        try (FabricClients half = Fabrics.connect(
                        settings.fabric(),
                        new Servers(endpoints, message.get("own").intValue()));
                Stalls stalls = Stalls.begin()) {
            half.run(
                    new FabricClients.Crew(
                            message.get("first").intValue(), count, CellRun.clients(settings), barrier(count)),
                    clients);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            counts.write(new DataOutputStream(bytes));
            return Line.message("counted")
                    .put("counters", Line.data(bytes))
                    .put("stall-ns", stalls.longestNs())
                    .put("stall-share", stalls.share())
                    .put("gc-ns", stalls.gcNs());
        }
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

    /** Frees what this process holds. Whatever still runs in it ends with the process. */
    @Override
    public void close() throws IOException {
        line.close();
        worker.shutdownNow();
        endServer();
        folder.close();
    }
}

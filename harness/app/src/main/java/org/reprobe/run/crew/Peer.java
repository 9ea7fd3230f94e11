package org.reprobe.run.crew;

import java.io.ByteArrayOutputStream;
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
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.Serving;
import org.reprobe.run.Fabrics;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.Deployment;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Served;
import org.reprobe.system.ServerHalf;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import org.reprobe.system.Workload;
import org.reprobe.trust.Printable;
import org.reprobe.trust.PrivateFolder;
import org.reprobe.trust.Secret;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
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
    private @Nullable ServerHalf half;
    private @Nullable Deployment deployed;
    private @Nullable Serving program;
    private @Nullable BuiltContent content;

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
        } catch (FabricException | RefusedException e) {
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
        scenarios.put(name, new ScenarioReader(nics).readStored(file, Scale.QUICK));
        return Line.message("known");
    }

    private Deployment deployment(JsonNode message) throws FabricException, InvalidInputException {
        Settings settings = settings(message);
        NicProfile nic = NicProfiles.load(folder.path().resolve("nics"), settings.nic());
        try {
            return Systems.of(settings.scheme())
                    .deployment(settings, nic, message.get("repeat").intValue());
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
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

    /** The server's part: memory that clients can reach. What runs only read is kept until something else is asked for. */
    private ObjectNode prepare(JsonNode message)
            throws FabricException, InvalidInputException, RefusedException, InterruptedException {
        Settings settings = settings(message);
        String address = message.get("address").stringValue();
        Deployment deployment = deployment(message);
        Content wanted = deployment.content();
        BuiltContent kept = content;
        ServerHalf here = half;
        if (here == null || kept == null || !kept.content().equals(wanted) || !served.equals(settings.fabric())) {
            release();
            if (wanted == null) {
                endServer(); // memory that is written is for one run, and so is its server
            }
            FabricServer fabric = server(settings.fabric(), address);
            if (wanted != null) {
                content = build(wanted, fabric, message);
            }
            try {
                here = deployment.serve(message.get("machine").intValue(), List.of(fabric), content);
            } catch (IllegalArgumentException e) {
                throw new FabricException(String.valueOf(e.getMessage()), e);
            }
            half = here;
            ServerProgram answering = here.program();
            if (answering != null) {
                program = Serving.begin(fabric, settings.clients().total(), answering);
            }
        }
        deployed = deployment;
        // The endpoint may hold a token: it goes sealed.
        ObjectNode prepared = Line.message("prepared")
                .put("endpoint", line.seal(server(settings.fabric(), address).endpoint()));
        Served.Machine machine = here.machines().getFirst();
        ArrayNode regions = prepared.putArray("regions");
        machine.regions().forEach(region -> regions.add(region(region)));
        ArrayNode facts = prepared.putArray("facts");
        for (long fact : machine.facts()) {
            facts.add(fact);
        }
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
        Deployment deployment = Objects.requireNonNull(deployed);
        ObjectNode finished = Line.message("finished")
                .put(
                        "verification-failure",
                        Objects.requireNonNull(half)
                                .verificationFailure(deployment.read(Line.data(message, "counters"))));
        if (content == null || answering != null) {
            release(); // a program has ended, and the next run needs one of its own
            endServer();
        }
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
        half = null;
    }

    private BuiltContent build(Content wanted, FabricServer server, JsonNode message)
            throws FabricException, RefusedException {
        org.reprobe.memory.Memory memory = (bytes, arena) -> shared(server, bytes, arena);
        try {
            return wanted.build(new Content.Builder(message.get("threads").intValue(), memory, tables, notice -> {}));
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
        if (here != null && half != null && content != null) {
            for (RemoteRegion region : half.machines().getFirst().regions()) {
                here.deregister(region);
            }
        }
        half = null;
        if (content != null) {
            content.close();
            content = null;
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

    /** What a server has prepared. */
    static Served.Machine machine(JsonNode prepared) {
        List<RemoteRegion> regions = new ArrayList<>();
        prepared.get("regions").forEach(one -> regions.add(region(one)));
        return new Served.Machine(
                regions,
                prepared.get("facts")
                        .valueStream()
                        .mapToLong(JsonNode::longValue)
                        .toArray());
    }

    /** A client process' part: what its threads do. */
    private ObjectNode run(JsonNode message)
            throws FabricException, InvalidInputException, IOException, InterruptedException {
        Settings settings = settings(message);
        Deployment deployment = deployment(message);
        List<Served.Machine> machines = new ArrayList<>();
        message.get("servers").forEach(prepared -> machines.add(machine(prepared)));
        boolean serves = message.get("own").intValue() != Servers.NONE;
        Served served = new Served(machines, serves ? Objects.requireNonNull(half) : null);
        Settings.Measure measure = settings.measure();
        if (message.has("rehearsal-ms")) {
            measure = Settings.Measure.rehearsal(message.get("rehearsal-ms").intValue());
        } else if (deployment.content() != null && compiled.add(settings.fabric() + " " + deployment.codePath())) {
            // The first lookups of a kind in a process are interpreted and compiled, whatever the scenario's warm-up
            // is.
            measure = measure.warmedUp(message.get("compiling-ms").intValue());
        }
        Workload clients;
        try {
            clients = deployment.clients(served, measure, message.get("seed").longValue());
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
        return run(settings, message, clients);
    }

    private ObjectNode run(Settings settings, JsonNode message, Workload clients)
            throws FabricException, IOException, InterruptedException {
        List<String> endpoints = endpoints(message);
        int count = message.get("count").intValue();
        try (FabricClients half = Fabrics.connect(
                        settings.fabric(),
                        new Servers(endpoints, message.get("own").intValue()));
                Stalls stalls = Stalls.begin()) {
            half.run(
                    new FabricClients.Crew(
                            message.get("first").intValue(),
                            count,
                            settings.clients().total(),
                            barrier(count)),
                    clients);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            clients.counts().write(new DataOutputStream(bytes));
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

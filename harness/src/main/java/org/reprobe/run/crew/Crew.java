package org.reprobe.run.crew;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.CellRun;
import org.reprobe.run.Plan;
import org.reprobe.run.RealRuns;
import org.reprobe.scenario.ScenarioKeys;
import org.reprobe.scenario.Settings;
import org.reprobe.scheme.LookupCounters;
import org.reprobe.table.TableGeometry;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs units on a real fabric: keeps a server process and the client processes, tells them what to do and ends them. One
 * unit at a time. When one of them dies, hangs or fails, that run is not valid, all are ended, and the next run starts new
 * ones.
 */
public final class Crew implements RealRuns {
    private static final int CONNECT_MS = 30_000 * Line.SLOWNESS;
    private static final long PATIENCE_MS = 60_000L * Line.SLOWNESS;
    /** Processes that somebody started by hand and that are lost must be started again within this time. */
    private static final long AGAIN_MS = 60_000;

    private static final int HELLO_MS = 5_000;
    private static final int MOST_HELLO_BYTES = 4_096;

    private final Options options;
    private static final SecureRandom RANDOM = new SecureRandom();
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<Member> members = new ArrayList<>();
    private final Set<String> told = new HashSet<>();
    /** Scenarios that processes started by hand expect; empty for any. */
    private final Set<String> meantFor = new HashSet<>();

    private @Nullable ServerSocket listening;
    /** Processes started by hand were there once. */
    private boolean mustered;
    /** They are gone, and nobody started them again. */
    private boolean abandoned;

    private String token;
    private String manned = "";

    /**
     * How processes are had.
     *
     * @param home the program's folder, on every host
     * @param nics the folder of NIC profiles
     * @param tables where the server keeps tables between runs; null to build them anew
     * @param listen where client processes that somebody starts by hand connect; null to start them here
     * @param notices told what the user should know
     */
    public record Options(
            Path home,
            Path nics,
            @Nullable Path tables,
            @Nullable InetSocketAddress listen,
            java.util.function.Consumer<String> notices) {}

    private record Event(Member member, @Nullable JsonNode message) {}

    /** One process, as seen from here. */
    private static final class Member {
        private final String name;
        private final @Nullable Launch launch;
        private volatile @Nullable Line line;
        private volatile long heardNs = System.nanoTime();

        Member(String name, @Nullable Launch launch) {
            this.name = name;
            this.launch = launch;
        }

        Line line() {
            Line there = line;
            if (there == null) {
                throw new IllegalStateException(name + " has not connected");
            }
            return there;
        }

        String end() {
            if (launch == null) {
                return "";
            }
            for (int i = 0; i < 20 && launch.isAlive(); i++) {
                try {
                    Thread.sleep(50); // its connection may end before it does
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
            String end = launch.end();
            return end.isEmpty() ? "" : " " + end;
        }
    }

    public Crew(Options options) {
        this.options = options;
        this.token = newToken();
    }

    /** A word that nobody can guess. */
    static String newToken() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public CellRun.Outcome run(Plan.Unit unit, int threads) throws InterruptedException {
        try {
            man(unit.settings());
            tell(unit);
            return measure(unit, threads);
        } catch (FabricException | IOException e) {
            disband(e.getMessage());
            return new CellRun.Outcome(Kind.MEASURED, false, String.valueOf(e.getMessage()), Map.of(), null);
        } catch (InterruptedException | RuntimeException | Error e) {
            disband("it was ended");
            throw e;
        }
    }

    /** Sees to it that the processes that a cell needs are there. */
    private void man(Settings settings) throws FabricException, IOException, InterruptedException {
        String needed = settings.clients().machines() + " " + settings.hosts();
        if (needed.equals(manned) && !members.isEmpty()) {
            return;
        }
        disband(null);
        if (abandoned) {
            throw new FabricException("the client processes that were started by hand are gone");
        }
        boolean remote = !settings.hosts().server().equals(ScenarioKeys.HERE)
                || settings.hosts().clients().stream().anyMatch(host -> !host.equals(ScenarioKeys.HERE));
        ServerSocket socket = listening;
        if (socket == null) {
            socket = new ServerSocket();
            InetSocketAddress listen = options.listen();
            socket.bind(
                    listen != null
                            ? listen
                            : remote
                                    ? new InetSocketAddress(0)
                                    : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listening = socket;
        }
        int port = socket.getLocalPort();
        List<Member> waited = new ArrayList<>();
        enlist(waited, "the server process", settings.hosts().server(), port);
        for (int i = 0; i < settings.clients().machines(); i++) {
            List<String> hosts = settings.hosts().clients();
            if (options.listen() == null) {
                enlist(waited, "client process " + i, hosts.get(i % hosts.size()), port);
            } else {
                members.add(new Member("client process " + i, null));
            }
        }
        if (options.listen() != null) {
            InetSocketAddress at = options.listen();
            options.notices()
                    .accept("waiting for " + settings.clients().machines() + " of: ./run.sh drive FILE --server "
                            + at.getHostString() + ":" + port + "#" + token);
        }
        muster(socket, members);
        manned = needed;
    }

    private void enlist(List<Member> waited, String name, String host, int port) throws IOException {
        String place = host.equals(ScenarioKeys.HERE) ? name : name + " on " + host;
        Member member = new Member(place, Launch.peer(host, port, token + waited.size(), options.home()));
        waited.add(member);
        members.add(member);
    }

    /** Takes the processes' connections. Those started here bear their number behind the token. */
    private void muster(ServerSocket socket, List<Member> missing) throws FabricException, IOException {
        long startNs = System.nanoTime();
        long deadlineNs = startNs + TimeUnit.MILLISECONDS.toNanos(CONNECT_MS);
        long againNs = startNs + TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);
        List<Member> waited = new ArrayList<>(missing);
        while (members.stream().anyMatch(member -> member.line == null)) {
            socket.setSoTimeout(200);
            waited.removeIf(member -> member.line != null);
            try {
                Line line = new Line(socket.accept());
                // A stranger who says nothing holds nobody up.
                Thread.ofVirtual().start(() -> welcome(line, List.copyOf(waited)));
            } catch (java.net.SocketTimeoutException e) {
                for (Member member : waited) {
                    if (member.launch != null && !member.launch.isAlive()) {
                        throw new FabricException(member.name + " did not start" + member.end(), e);
                    }
                }
            }
            boolean started = waited.stream().anyMatch(member -> member.launch != null);
            if (started && System.nanoTime() > deadlineNs) {
                throw new FabricException(
                        waited.getFirst().name + " has not connected within " + CONNECT_MS / 1000 + " s");
            }
            if (mustered && System.nanoTime() > againNs && !waited.isEmpty()) {
                abandoned = true;
                throw new FabricException(
                        waited.getFirst().name + " was not started again within " + AGAIN_MS / 1000 + " s");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new FabricException("interrupted");
            }
        }
        mustered = options.listen() != null;
    }

    private synchronized void greet(Line line, @Nullable JsonNode hello, List<Member> waited) throws IOException {
        String word = hello == null ? "" : hello.path("token").asString("");
        Member member = null;
        for (Member candidate : waited) {
            if (candidate.line != null) {
                continue;
            }
            int number = members.indexOf(candidate);
            String expected = candidate.launch == null ? token : token + number;
            if (MessageDigest.isEqual(
                    expected.getBytes(StandardCharsets.UTF_8), word.getBytes(StandardCharsets.UTF_8))) {
                member = candidate;
                break;
            }
        }
        if (member == null) {
            line.send(Line.message("refused").put("why", "wrong token: use the one that \"serve\" printed"));
            line.close();
            return;
        }
        line.deadline(0);
        if (hello != null) {
            hello.path("scenarios").forEach(name -> meantFor.add(name.asString("")));
        }
        Member there = member;
        Thread.ofPlatform().daemon().name("from-" + member.name).start(() -> listen(there, line));
        member.line = line;
        line.keepPinging();
    }

    private void welcome(Line line, List<Member> waited) {
        try {
            line.deadline(HELLO_MS);
            JsonNode hello = line.receive(MOST_HELLO_BYTES);
            greet(line, hello, waited);
        } catch (IOException e) {
            line.close();
        }
    }

    private void listen(Member member, Line line) {
        try {
            for (JsonNode message = line.receive(); message != null; message = line.receive()) {
                member.heardNs = System.nanoTime();
                if (!message.get("type").stringValue().equals("pong")) {
                    events.add(new Event(member, message));
                }
            }
        } catch (IOException e) {
            // As good as an end.
        }
        events.add(new Event(member, null));
    }

    /** Gives all processes the unit's scenario, once. */
    private void tell(Plan.Unit unit) throws FabricException, IOException, InterruptedException {
        if (!told.add(unit.scenario().name())) {
            return;
        }
        if (!meantFor.isEmpty() && !meantFor.contains(unit.scenario().name())) {
            throw new FabricException("a client process was started for " + String.join(", ", meantFor)
                    + ", but this is " + unit.scenario().name());
        }
        ObjectNode message = Line.message("scenario")
                .put("name", unit.scenario().name())
                .put("yaml", unit.scenario().resolvedYaml());
        ObjectNode nics = message.putObject("nics");
        for (var planned : unit.scenario().cells()) {
            String nic = planned.settings().nic();
            if (!nics.has(nic)) {
                nics.put(nic, Files.readString(options.nics().resolve(nic + ".yaml")));
            }
        }
        for (Member member : members) {
            member.line().send(message);
        }
        collect(members, "known", PATIENCE_MS, "reading the scenario");
    }

    private CellRun.Outcome measure(Plan.Unit unit, int threads)
            throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        Member server = members.getFirst();
        List<Member> clients = members.subList(1, members.size());
        ObjectNode prepare = cell("prepare", unit).put("threads", threads).put("address", address(settings));
        if (options.tables() != null) {
            prepare.put("cache", options.tables().toAbsolutePath().toString());
        }
        server.line().send(prepare);
        long buildMs = PATIENCE_MS + (long) (20_000 * unit.buildSeconds());
        JsonNode prepared = collect(List.of(server), "prepared", buildMs, "building the table")
                .getFirst();

        int first = 0;
        for (Member client : clients) {
            ObjectNode run = cell("run", unit)
                    .put("seed", unit.runSeed())
                    .put("first", first)
                    .put("count", settings.clients().threads());
            run.set("prepared", prepared);
            client.line().send(run);
            first += settings.clients().threads();
        }
        long runMs = PATIENCE_MS
                + (long) (10
                        * (settings.measure().warmUpMs() + settings.measure().durationMs()));
        List<JsonNode> counted = collect(clients, "counted", runMs, "looking keys up");

        LookupCounters all = new LookupCounters();
        double stallNs = 0;
        double stallShare = 0;
        double gcNs = 0;
        for (JsonNode one : counted) {
            byte[] bytes = Base64.getDecoder().decode(one.get("counters").stringValue());
            all.add(LookupCounters.read(new DataInputStream(new ByteArrayInputStream(bytes))));
            stallNs = Math.max(stallNs, one.get("stall-ns").doubleValue());
            stallShare = Math.max(stallShare, one.get("stall-share").doubleValue());
            gcNs = Math.max(gcNs, one.get("gc-ns").doubleValue());
        }
        TableGeometry geometry = TableGeometry.of(settings.tableSpec(unit.repeat()))
                .withTableBytes(prepared.get("table-bytes").longValue())
                .withHeapBytes(prepared.get("heap-bytes").longValue());
        CellRun.Outcome outcome = CellRun.outcome(Kind.MEASURED, settings, unit.nic(), geometry, all);
        Map<String, Double> metrics = new LinkedHashMap<>(outcome.metrics());
        metrics.put(Metrics.STALL, stallNs);
        metrics.put(Metrics.STALL_SHARE, stallShare);
        metrics.put(Metrics.GC, gcNs);
        return new CellRun.Outcome(outcome.kind(), outcome.valid(), outcome.problem(), metrics, outcome.latencyNs());
    }

    /** Where the server is to be found by its clients: on this host alone unless somebody is elsewhere. */
    private String address(Settings settings) {
        boolean allHere = options.listen() == null
                && settings.hosts().server().equals(ScenarioKeys.HERE)
                && settings.hosts().clients().stream().allMatch(host -> host.equals(ScenarioKeys.HERE));
        if (allHere) {
            return InetAddress.getLoopbackAddress().getHostAddress();
        }
        InetSocketAddress listen = options.listen();
        return listen == null ? "" : listen.getAddress().getHostAddress();
    }

    private static ObjectNode cell(String type, Plan.Unit unit) {
        return Line.message(type)
                .put("scenario", unit.scenario().name())
                .put("cell", unit.scenario().cells().indexOf(unit.planned()))
                .put("repeat", unit.repeat());
    }

    /** Waits until each of some processes has sent a message of a type; opens barriers meanwhile, and misses nobody's end. */
    private List<JsonNode> collect(List<Member> from, String type, long patienceMs, String what)
            throws FabricException, IOException, InterruptedException {
        Map<Member, JsonNode> got = new LinkedHashMap<>();
        Set<Member> atBarrier = new HashSet<>();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        members.forEach(member -> member.heardNs = System.nanoTime());
        while (got.size() < from.size()) {
            Event event = events.poll(Line.PING_MS, TimeUnit.MILLISECONDS);
            if (event == null) {
                checkTime(deadlineNs, patienceMs, from, got.keySet(), what);
                continue;
            }
            JsonNode message = event.message;
            if (!members.contains(event.member)) {
                continue; // of processes ended before
            }
            if (message == null) {
                throw new FabricException(event.member.name + " ended while " + what + event.member.end());
            }
            String word = message.get("type").stringValue();
            if (word.equals("failed")) {
                throw new FabricException(
                        event.member.name + ": " + message.get("why").stringValue());
            } else if (word.equals("at-barrier")) {
                atBarrier.add(event.member);
                if (atBarrier.size() == from.size()) {
                    atBarrier.clear();
                    for (Member member : from) {
                        member.line().send(Line.message("go"));
                    }
                }
            } else if (word.equals(type)) {
                got.put(event.member, message);
            }
        }
        return from.stream().map(got::get).toList();
    }

    private void checkTime(long deadlineNs, long patienceMs, List<Member> from, Set<Member> got, String what)
            throws FabricException {
        long nowNs = System.nanoTime();
        for (Member member : members) {
            if (nowNs - member.heardNs > TimeUnit.MILLISECONDS.toNanos(Line.SILENCE_MS)) {
                throw new FabricException(
                        member.name + " has not answered for " + Line.SILENCE_MS / 1000 + " s while " + what);
            }
        }
        if (nowNs > deadlineNs) {
            Member slow = from.stream()
                    .filter(member -> !got.contains(member))
                    .findFirst()
                    .orElse(from.getFirst());
            throw new FabricException(slow.name + " has not ended " + what + " within " + patienceMs / 1000 + " s");
        }
    }

    /**
     * Ends all processes: in order where they listen, at once where they don't.
     *
     * @param why when all is not well; null when it is
     */
    private void disband(@Nullable String why) {
        ObjectNode end = Line.message("end");
        if (why != null) {
            end.put("why", why);
        }
        for (Member member : members) {
            if (member.line != null) {
                try {
                    member.line.send(end);
                } catch (IOException e) {
                    // It is gone.
                }
            }
        }
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        for (Member member : members) {
            Launch launch = member.launch;
            while (launch != null && launch.isAlive() && System.nanoTime() < deadlineNs) {
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
            if (launch != null) {
                launch.kill();
            }
            if (member.line != null) {
                member.line.close();
            }
        }
        members.clear();
        told.clear();
        meantFor.clear();
        manned = "";
        if (options.listen() == null) {
            token = newToken(); // a process that comes late is not of the next crew
        }
    }

    /** Ends all processes. */
    @Override
    public void close() {
        disband(null);
        if (listening != null) {
            try {
                listening.close();
            } catch (IOException e) {
                // It is gone.
            }
        }
    }
}

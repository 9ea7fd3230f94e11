package org.reprobe.run.crew;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Servers;
import org.reprobe.run.Plan;
import org.reprobe.run.RealRuns;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.trust.Printable;
import org.reprobe.trust.Secret;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs units on a real fabric: keeps a server process and the client processes, or processes that are both, tells them what to
 * do and ends them. One unit at a time. When one of them dies, hangs or fails, that run is not valid, all are ended, and the next
 * run starts new ones.
 */
public final class Crew implements RealRuns {
    private static final int CONNECT_MS = (int) OwnJvm.patienceMs(120_000);
    private static final long PATIENCE_MS = OwnJvm.patienceMs(60_000);
    /** What fails before anything was ever reached fails again: one more attempt, in case that a process was killed. */
    private static final int MAX_ATTEMPTS = 2;

    /** Processes that somebody started by hand and that are lost must be started again within this time. */
    private static final long AGAIN_MS = 60_000;

    /** For so long the code of a kind of run is run before it counts: it is interpreted and compiled first. */
    public static final int COMPILING_MS = 2_000;

    /** A rehearsal ends after so many times the time for which clients are to run, however long tables take to build. */
    private static final int MOST_PREPARING = 4;

    private static final long POLL_MS = 200;

    private final Options options;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    /** Server and clients. */
    private final List<Member> members = new ArrayList<>();

    private final List<Member> clients = new ArrayList<>();
    /** Who is a server and nothing else; null while nobody is needed for that. */
    private @Nullable Member server;

    private final Set<String> told = new HashSet<>();
    /** Scenarios that processes started by hand expect; empty for any. */
    private final Set<String> meantFor = new HashSet<>();
    /** Kinds of protocols' runs that these processes have run. */
    private final Set<String> rehearsed = new HashSet<>();

    private final Set<String> reachable = new HashSet<>();
    private final Map<String, Unreached> unreachable = new HashMap<>();

    private @Nullable Door door;
    /** Of those who are to come. */
    private volatile List<Secret> expected = List.of();

    /** Processes started by hand were there once. */
    private boolean mustered;
    /** They are gone, and nobody started them again. */
    private boolean abandoned;

    private Secret token = Secret.random();
    private String manned = "";

    /**
     * How processes are had.
     *
     * @param home the program's folder, on every host
     * @param nics the folder of NIC profiles
     * @param tables where the server keeps tables between runs; null to build them anew
     * @param compilingMs usually {@link #COMPILING_MS}
     * @param listen where client processes that somebody starts by hand connect; null to start them here
     * @param notices told what the user should know
     */
    public record Options(
            Path home,
            Path nics,
            @Nullable Path tables,
            int compilingMs,
            @Nullable InetSocketAddress listen,
            java.util.function.Consumer<String> notices) {}

    /** Where nobody came to the servers. */
    private record Unreached(String why, int attempts) {}

    private record Event(Member member, @Nullable JsonNode message) {}

    /** One process, as seen from here. */
    private static final class Member {
        private final String name;
        private final Secret secret;
        private final @Nullable Launch launch;
        private volatile @Nullable Line line;
        private volatile long heardNs = System.nanoTime();

        Member(String name, Secret secret, @Nullable Launch launch) {
            this.name = name;
            this.secret = secret;
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
    }

    @Override
    public RunOutcome run(Plan.Unit unit, int threads) throws InterruptedException {
        String place = place(unit);
        Unreached unreached = unreachable.get(place);
        if (unreached != null && unreached.attempts >= MAX_ATTEMPTS) {
            return failed(unreached.why);
        }
        try {
            man(unit);
            tell(unit);
            if (!reachable.contains(place)) {
                reach(unit);
                reachable.add(place);
                unreachable.remove(place);
            }
            return measure(unit, threads);
        } catch (FabricException | IOException e) {
            disband(e.getMessage());
            String why = String.valueOf(e.getMessage());
            if (!reachable.contains(place)) {
                unreachable.put(place, new Unreached(why, unreached == null ? 1 : unreached.attempts + 1));
            }
            return failed(why);
        } catch (InterruptedException | RuntimeException | Error e) {
            disband("it was ended");
            throw e;
        }
    }

    private static RunOutcome failed(String why) {
        return RunOutcome.failed(Kind.MEASURED, why);
    }

    /** What decides whether clients come to servers. */
    private static String place(Plan.Unit unit) {
        Settings settings = unit.settings();
        return settings.fabric() + " " + settings.clients().machines() + " " + settings.hosts() + " "
                + unit.deployment().clientsServe();
    }

    /** Lets every client process connect to every server, before time goes into tables that nobody could reach. */
    private void reach(Plan.Unit unit) throws FabricException, IOException, InterruptedException {
        List<Member> servers = servers(unit);
        for (Member holder : servers) {
            holder.line().send(cell("open", unit).put("address", address(holder)));
        }
        List<JsonNode> opened = collect(servers, "opened", PATIENCE_MS, "opening the fabric");
        for (int machine = 0; machine < clients.size(); machine++) {
            Member client = clients.get(machine);
            ObjectNode reach =
                    cell("reach", unit).put("own", unit.deployment().clientsServe() ? machine : Servers.NONE);
            passOn(servers, opened, reach, client.line());
            client.line().send(reach);
            collect(List.of(client), "reached", PATIENCE_MS, "connecting");
        }
    }

    /** Adds what servers have answered to a message. Only the two ends of a connection can read an endpoint's token. */
    private static void passOn(List<Member> holders, List<JsonNode> answers, ObjectNode message, Line to)
            throws IOException {
        ArrayNode servers = message.putArray("servers");
        for (int i = 0; i < answers.size(); i++) {
            JsonNode sealed = answers.get(i).get("endpoint");
            servers.add(((ObjectNode) answers.get(i).deepCopy())
                    .put("endpoint", to.seal(holders.get(i).line().open(sealed))));
        }
    }

    /** Sees to it that the processes that a cell needs are there. */
    private void man(Plan.Unit unit) throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        String needed = settings.clients().machines() + " " + settings.hosts();
        if (!needed.equals(manned)) {
            disband(null);
        }
        boolean lacksServer = server == null && !unit.deployment().clientsServe();
        boolean lacksClients = clients.isEmpty();
        if (!lacksServer && !lacksClients) {
            return;
        }
        if (abandoned) {
            throw new FabricException("the client processes that were started by hand are gone");
        }
        Door where = door(settings);
        ServerSocket socket = where.socket();
        InetAddress bound = socket.getInetAddress();
        String here = (bound.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound).getHostAddress();
        InetSocketAddress at = new InetSocketAddress(here, socket.getLocalPort());
        if (lacksServer) {
            server = enlist("the server process", settings.hosts().server(), at, options.tables());
        }
        if (lacksClients) {
            enlistClients(settings, at);
        }
        muster(where);
        told.clear(); // the new ones know nothing
        manned = needed;
    }

    private Door door(Settings settings) throws IOException {
        Door there = door;
        if (there == null) {
            boolean remote = !settings.hosts().server().equals(Settings.HERE)
                    || settings.hosts().clients().stream().anyMatch(host -> !host.equals(Settings.HERE));
            InetSocketAddress listen = options.listen();
            there = new Door(
                    Door.listen(
                            listen != null
                                    ? listen
                                    : remote
                                            ? new InetSocketAddress(0)
                                            : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                    () -> expected);
            door = there;
        }
        return there;
    }

    private List<Member> servers(Plan.Unit unit) {
        return unit.deployment().clientsServe() ? clients : List.of(Objects.requireNonNull(server));
    }

    private void enlistClients(Settings settings, InetSocketAddress at) throws IOException {
        int machines = settings.clients().machines();
        List<String> hosts = settings.hosts().clients();
        InetSocketAddress listen = options.listen();
        for (int i = 0; i < machines; i++) {
            String name = "client process " + i;
            if (listen == null) {
                clients.add(enlist(name, hosts.get(i % hosts.size()), at, null));
            } else {
                Member byHand = new Member(name, token, null);
                members.add(byHand);
                clients.add(byHand);
            }
        }
        if (listen != null) {
            expected = Stream.concat(expected.stream(), Stream.of(token)).toList();
            options.notices()
                    .accept("waiting for " + machines + " of: ./run.sh drive FILE --server " + listen.getHostString()
                            + ":" + at.getPort());
            options.notices()
                    .accept("which asks for this token, or takes it from a file by --token-file: " + token.text());
        }
    }

    private Member enlist(String name, String host, InetSocketAddress at, @Nullable Path tables) throws IOException {
        String place = host.equals(Settings.HERE) ? name : name + " on " + host;
        Secret secret = token.derived(members.size());
        expected = Stream.concat(expected.stream(), Stream.of(secret)).toList();
        Path kept = tables == null ? null : tables.toAbsolutePath();
        Member member = new Member(place, secret, Launch.peer(host, at, secret, options.home(), kept));
        members.add(member);
        return member;
    }

    /** Takes the processes' connections. Those started here have a secret each. */
    private void muster(Door where) throws FabricException, InterruptedException {
        long startNs = System.nanoTime();
        long deadlineNs = startNs + TimeUnit.MILLISECONDS.toNanos(CONNECT_MS);
        long againNs = startNs + TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);
        List<Member> waited = new ArrayList<>(members);
        while (members.stream().anyMatch(member -> member.line == null)) {
            waited.removeIf(member -> member.line != null);
            Line.Guest guest = where.next(POLL_MS);
            if (guest != null) {
                greet(guest, waited);
                continue;
            }
            for (Member member : waited) {
                if (member.launch != null && !member.launch.isAlive()) {
                    throw new FabricException(member.name + " did not start" + member.end());
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
        }
        mustered = options.listen() != null;
    }

    private void greet(Line.Guest guest, List<Member> waited) {
        Line line = guest.line();
        Member member = waited.stream()
                .filter(candidate -> candidate.line == null && candidate.secret == guest.secret())
                .findFirst()
                .orElse(null);
        if (member == null) {
            line.end("no process is missing");
            return;
        }
        guest.introduction().path("scenarios").forEach(name -> meantFor.add(Printable.line(name.asString(""))));
        Thread.ofPlatform().daemon().name("from-" + member.name).start(() -> listen(member, line));
        member.line = line;
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

    /** A run whose content is shared only reads it, so it may warm up for longer; others rehearse on memory of their own. */
    private RunOutcome measure(Plan.Unit unit, int threads) throws FabricException, IOException, InterruptedException {
        if (unit.content() == null) {
            rehearse(unit, threads);
        }
        return measure(unit, threads, 0);
    }

    /**
     * Runs a cell that writes on memory of its own until the code of both halves has been run for long enough, once for each kind.
     * A longer warm-up would not do: it would change the table, which may be as full then as it gets.
     */
    private void rehearse(Plan.Unit unit, int threads) throws FabricException, IOException, InterruptedException {
        if (!rehearsed.add(unit.settings().fabric() + " " + unit.deployment().codePath())) {
            return;
        }
        double neededNs = TimeUnit.MILLISECONDS.toNanos(options.compilingMs());
        long endNs = System.nanoTime() + MOST_PREPARING * (long) neededNs;
        double ranNs = 0;
        while (ranNs < neededNs && System.nanoTime() < endNs) { // clients that have written what they may end early
            RunOutcome outcome = measure(unit, threads, options.compilingMs());
            ranNs += outcome.metrics().getOrDefault(Metrics.DURATION, 0.0);
        }
    }

    /** @param rehearsalMs how long clients are to count; 0 for what the settings say */
    private RunOutcome measure(Plan.Unit unit, int threads, int rehearsalMs)
            throws FabricException, IOException, InterruptedException {
        Deployment deployment = unit.deployment();
        List<Member> servers = servers(unit);
        for (int machine = 0; machine < servers.size(); machine++) {
            Member holder = servers.get(machine);
            holder.line()
                    .send(cell("prepare", unit)
                            .put("address", address(holder))
                            .put("machine", machine)
                            .put("threads", threads));
        }
        long buildMs = PATIENCE_MS + (long) (20_000 * unit.buildSeconds());
        List<JsonNode> prepared = collect(servers, "prepared", buildMs, "building the table");
        List<JsonNode> counted = runClients(unit, prepared, rehearsalMs, "reading and writing");
        List<Counts> counts = new ArrayList<>();
        for (JsonNode one : counted) {
            counts.add(deployment.read(Line.data(one, "counters")));
        }
        Counts all = deployment.sum(counts);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        all.write(new DataOutputStream(bytes));
        for (Member holder : servers) {
            holder.line().send(Line.message("finish").put("counters", Line.data(bytes)));
        }
        String failure = null;
        for (JsonNode finished : collect(servers, "finished", PATIENCE_MS, "comparing counts")) {
            JsonNode said = finished.get("verification-failure");
            failure = said.isString() ? Printable.line(said.stringValue()) : failure;
        }
        Served served = new Served(prepared.stream().map(Peer::machine).toList(), null);
        return withStalls(deployment.outcome(Kind.MEASURED, all, served, failure), counted);
    }

    /** Has the clients run, and returns what each process has counted. */
    private List<JsonNode> runClients(Plan.Unit unit, List<JsonNode> prepared, int rehearsalMs, String what)
            throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        int threads = settings.clients().threads();
        for (int machine = 0; machine < clients.size(); machine++) {
            ObjectNode run = cell("run", unit)
                    .put("seed", unit.runSeed())
                    .put("compiling-ms", options.compilingMs())
                    .put("first", machine * threads)
                    .put("count", threads)
                    .put("own", unit.deployment().clientsServe() ? machine : Servers.NONE);
            if (rehearsalMs > 0) {
                run.put("rehearsal-ms", rehearsalMs);
            }
            Line line = clients.get(machine).line();
            passOn(servers(unit), prepared, run, line);
            line.send(run);
        }
        long runMs = PATIENCE_MS
                + options.compilingMs()
                + (long) (10
                        * (settings.measure().warmUpMs() + settings.measure().durationMs()));
        return collect(clients, "counted", runMs, what);
    }

    private static RunOutcome withStalls(RunOutcome outcome, List<JsonNode> counted) {
        Map<String, Double> metrics = new LinkedHashMap<>(outcome.metrics());
        most(metrics, Metrics.STALL, counted, "stall-ns");
        most(metrics, Metrics.STALL_SHARE, counted, "stall-share");
        most(metrics, Metrics.GC, counted, "gc-ns");
        return new RunOutcome(
                outcome.kind(), outcome.valid(), outcome.problem(), metrics, outcome.latencyNs(), outcome.warnings());
    }

    private static void most(Map<String, Double> metrics, String metric, List<JsonNode> counted, String name) {
        metrics.put(
                metric,
                counted.stream()
                        .mapToDouble(one -> one.get(name).doubleValue())
                        .max()
                        .orElse(0));
    }

    /** Where a server on this host is to be found by processes elsewhere; empty for the address by which it reaches this one. */
    private String address(Member holder) {
        if (holder.line().isLoopback()) {
            for (Member other : members) {
                if (!other.line().isLoopback()) {
                    return other.line().localHost();
                }
            }
        }
        return "";
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
                throw new FabricException(event.member.name + ": " + Line.words(message, "why"));
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
        clients.clear();
        server = null;
        told.clear();
        rehearsed.clear();
        meantFor.clear();
        manned = "";
        if (options.listen() == null) {
            token = Secret.random(); // a process that comes late is not of the next crew
            expected = List.of();
        } else {
            expected = List.of(token); // clients may be started again before anybody waits for them
        }
    }

    /** Ends all processes. */
    @Override
    public void close() {
        disband(null);
        if (door != null) {
            door.close();
        }
    }
}

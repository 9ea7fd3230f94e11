package org.reprobe.cli.run;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.FiguresUnavailableException;
import org.reprobe.plots.report.LivePage;
import org.reprobe.run.Experiment;
import org.reprobe.system.Run;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/**
 * Server of the page of a run in progress and, at its end, of its result folder: on this host only, below an address
 * with a random token. Works on request only: each figure is drawn at most every two seconds, and only after new runs;
 * between measured runs, unless one takes more than ten seconds.
 */
final class LiveServer implements AutoCloseable {
    /** Threads for requests: one that is never completed delays no other. */
    private static final int THREADS = 4;

    private static final long DRAW_EVERY_NS = 2_000_000_000L;
    /** Time after an answer for which the next one waits for the end of a measured run. */
    private static final long HELD_NS = 10_000_000_000L;

    /** Time after a request during which the page counts as open; a hidden one requests every 30 to 60 s. */
    private static final long OPEN_NS = 10_000_000_000L;

    private static final long HIDDEN_NS = 90_000_000_000L;
    private static final long MAX_SERVING_NS = 600_000_000_000L;

    private static final String FIGURES = "figures/";
    private static final String RESULTS = "results/";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String SVG = "image/svg+xml";

    private static final Map<String, String> TYPES = Map.of(
            "html", HTML,
            "svg", SVG,
            "png", "image/png",
            "pdf", "application/pdf",
            "json", "application/json");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(
            THREADS, Thread.ofPlatform().daemon().name("page-", 0).factory());
    private final String token = Secret.random().text();
    private final String host;
    private final Set<String> hosts;
    private final Map<String, Drawn> drawn = new HashMap<>();
    private final CountDownLatch released = new CountDownLatch(1);

    private @Nullable RunProgress progress;
    private @Nullable Experiment experiment;
    private volatile Experiment.@Nullable Outcome outcome;
    private volatile long openUntilNs = System.nanoTime();
    private volatile long heldUntilNs = System.nanoTime();

    /** Figure as drawn after some runs of its scenario, or the reason why it can't be. */
    private record Drawn(String svg, String problem, int runs, long atNs) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared by it
    private record Answer(int code, String type, byte[] body) {
        static Answer of(int code, String type, String text) {
            return new Answer(code, type, text.getBytes(StandardCharsets.UTF_8));
        }

        static Answer refusal(int code, String why) {
            return of(code, "text/plain; charset=utf-8", why + "\n");
        }
    }

    private LiveServer(HttpServer server) {
        this.server = server;
        int port = server.getAddress().getPort();
        host = HostPort.text(server.getAddress().getAddress().getHostAddress(), port);
        hosts = Set.of(host, "localhost:" + port);
    }

    /** Reserves a port, any for 0; requests wait until the run {@link #begin begins}. */
    static LiveServer open(int port) throws IOException {
        return new LiveServer(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
    }

    String address() {
        return "http://" + host + "/" + token + "/";
    }

    void begin(RunProgress of, Experiment by) {
        progress = of;
        experiment = by;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    void end(Experiment.Outcome of) {
        outcome = of;
    }

    /** Returns true if the run has ended, and a page was requested recently. */
    boolean isWatched() {
        return outcome != null && released.getCount() > 0 && openUntilNs - System.nanoTime() > 0;
    }

    /** Serves the ended run until its page is closed, it is released, or ten minutes have passed. */
    void awaitClosing() throws InterruptedException {
        long endNs = System.nanoTime() + MAX_SERVING_NS;
        while (isWatched() && System.nanoTime() < endNs) {
            released.await(1, TimeUnit.SECONDS);
        }
    }

    /** Ends {@link #awaitClosing}; returns false if the run has not ended. */
    boolean release() {
        if (outcome == null) {
            return false;
        }
        released.countDown();
        return true;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer;
            try {
                answer = answer(exchange);
            } catch (RuntimeException e) {
                answer = Answer.refusal(500, "This part of the page failed: " + e);
            }
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", answer.type);
            headers.set("Content-Security-Policy", LivePage.policy());
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Referrer-Policy", "no-referrer");
            headers.set("Cache-Control", "no-store");
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(answer.code, head || answer.body.length == 0 ? -1 : answer.body.length);
            if (!head) {
                exchange.getResponseBody().write(answer.body);
            }
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        URI uri = exchange.getRequestURI();
        String path = Objects.requireNonNullElse(uri.getPath(), "");
        String root = "/" + token + "/";
        String start = path.substring(0, Math.min(path.length(), root.length()));
        // A page of another site may reach this port by a name that it resolves to this host.
        if (!hosts.contains(String.valueOf(exchange.getRequestHeaders().getFirst("Host")))
                || !MessageDigest.isEqual(
                        start.getBytes(StandardCharsets.UTF_8), root.getBytes(StandardCharsets.UTF_8))) {
            return Answer.refusal(403, "Open the address that the program has printed.");
        }
        if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
            return Answer.refusal(405, "Only for reading.");
        }
        RunProgress run = Objects.requireNonNull(progress);
        try {
            run.beforeAnswer(heldUntilNs);
            openUntilNs = System.nanoTime() + ("hidden".equals(uri.getQuery()) ? HIDDEN_NS : OPEN_NS);
            return content(path.substring(root.length()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.refusal(503, "The run has ended.");
        } finally {
            heldUntilNs = System.nanoTime() + HELD_NS;
            run.answered();
        }
    }

    private Answer content(String name) throws IOException {
        Answer answer = name.isEmpty()
                ? Answer.of(200, HTML, page().html())
                : name.startsWith(FIGURES)
                        ? figure(name.substring(FIGURES.length()))
                        : name.startsWith(RESULTS) && outcome != null ? file(name.substring(RESULTS.length())) : null;
        return answer != null ? answer : Answer.refusal(404, "There is no such page.");
    }

    private LivePage page() {
        Experiment.Outcome ended = outcome;
        RunProgress.Snapshot now = Objects.requireNonNull(progress).snapshot();
        Experiment current = Objects.requireNonNull(experiment);
        int runs = 0;
        int done = 0;
        int failed = 0;
        List<LivePage.Part> parts = new ArrayList<>();
        for (RunProgress.Part part : now.parts()) {
            runs += part.runs();
            done += part.done();
            failed += part.failed();
            List<LivePage.Figure> figures = part.scenario().figures().stream()
                    .map(figure -> shown(part, figure))
                    .toList();
            parts.add(new LivePage.Part(
                    part.scenario().title(),
                    part.scenario().name() + " · " + part.kind().word(),
                    soFar(part),
                    part.failed() == 0 ? "" : Quantities.count(part.failed(), "failed run"),
                    figures));
        }
        int running = now.running().size();
        String detail =
                (ended != null ? "" : running + " running, " + Math.max(0, runs - done - running) + " waiting, ")
                        + failed + " failed · " + now.times();
        return new LivePage(
                parts.size() == 1 ? parts.getFirst().title() : Quantities.count(parts.size(), "scenario"),
                ended == null ? "running" : ended.state().word(),
                done + " of " + Quantities.count(runs, "run"),
                detail,
                ended == null ? now.share() : 1,
                ended != null
                        ? List.of()
                        : current.processes().stream().map(LiveServer::row).toList(),
                now.running(),
                parts,
                now.messages(),
                current.folder().dir().toAbsolutePath().normalize().toString(),
                ended == null ? "" : RESULTS + "report.html");
    }

    private static List<String> row(Run.ProcessState process) {
        String work = process.work().isEmpty() ? "" : ": " + process.work();
        return List.of(process.name(), process.pid(), process.state() + work);
    }

    private static String soFar(RunProgress.Part part) {
        String cells = part.measured() + " of " + Quantities.count(part.cells(), "cell");
        return (part.done() < part.runs() ? "so far: " : "")
                + cells
                + (part.runs() > part.cells()
                        ? ", " + part.done() + " of " + Quantities.count(part.runs(), "run")
                        : "");
    }

    /** Returns a figure whose address is new when it may be drawn again; empty without measured cells. */
    private LivePage.Figure shown(RunProgress.Part part, FigureSpec figure) {
        String name = part.scenario().name() + "/" + figure.name();
        Drawn before;
        synchronized (drawn) {
            before = drawn.get(name);
        }
        boolean recent = before != null && System.nanoTime() - before.atNs < DRAW_EVERY_NS;
        return new LivePage.Figure(
                figure.title().isEmpty() ? figure.name() : figure.title(),
                part.measured() == 0
                        ? ""
                        : FIGURES + name + ".svg?" + (recent && before != null ? before.runs : part.done()),
                before == null ? "" : before.problem);
    }

    private @Nullable Answer figure(String file) throws IOException {
        for (RunProgress.Part part : Objects.requireNonNull(progress).snapshot().parts()) {
            for (FigureSpec figure : part.scenario().figures()) {
                String name = part.scenario().name() + "/" + figure.name();
                if (file.equals(name + ".svg")) {
                    Drawn now = drawn(name, part, figure);
                    return now.problem.isEmpty() ? Answer.of(200, SVG, now.svg) : null;
                }
            }
        }
        return null;
    }

    private Drawn drawn(String name, RunProgress.Part part, FigureSpec figure) throws IOException {
        synchronized (drawn) { // one at a time
            Drawn before = drawn.get(name);
            if (before != null && (before.runs >= part.done() || System.nanoTime() - before.atNs < DRAW_EVERY_NS)) {
                return before;
            }
            String svg = "";
            String problem = "";
            try {
                svg = Objects.requireNonNull(experiment).drawn(part.scenario(), figure);
            } catch (InvalidInputException e) {
                problem = e.problems().getFirst().message();
            } catch (FiguresUnavailableException e) {
                problem = String.valueOf(e.getMessage());
            }
            Drawn now = new Drawn(svg, problem, part.done(), System.nanoTime());
            drawn.put(name, now);
            return now;
        }
    }

    private @Nullable Answer file(String name) throws IOException {
        Path dir = Objects.requireNonNull(experiment).folder().dir().toRealPath();
        Path file = dir.resolve(name).normalize();
        if (!Files.isRegularFile(file) || !file.toRealPath().startsWith(dir)) {
            return null;
        }
        String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain; charset=utf-8");
        return new Answer(200, type, Files.readAllBytes(file));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

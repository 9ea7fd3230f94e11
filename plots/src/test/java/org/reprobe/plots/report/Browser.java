package org.reprobe.plots.report;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Headless Chromium, controlled by the DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final int SECONDS = 300;

    private final JsonMapper json = JsonMapper.builder().build();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final Process process;
    private final Path profile;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final String session;
    private volatile CompletableFuture<Boolean> loaded = new CompletableFuture<>();

    Browser(Path binary) throws Exception {
        profile = Files.createTempDirectory("reprobe-chromium");
        process = new ProcessBuilder(
                        binary.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--hide-scrollbars",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String address = "";
        BufferedReader errors = process.errorReader();
        for (String line = errors.readLine(); line != null; line = errors.readLine()) {
            if (line.startsWith("DevTools listening on ")) {
                address = line.substring("DevTools listening on ".length()).strip();
                break;
            }
        }
        if (address.isEmpty()) {
            throw new IOException("chromium ended without opening its DevTools port");
        }
        Thread.ofVirtual().start(() -> errors.lines().forEach(line -> {}));
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(address), new Listener())
                .get(SECONDS, TimeUnit.SECONDS);
        String target = call("Target.createTarget", Map.of("url", "about:blank"), "")
                .get("targetId")
                .asString();
        session = call("Target.attachToTarget", Map.of("targetId", target, "flatten", true), "")
                .get("sessionId")
                .asString();
        call("Page.enable", Map.of());
        call("Runtime.enable", Map.of());
        call("Log.enable", Map.of());
    }

    /** Returns the first chromium on the path. */
    static Optional<Path> find() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(File.pathSeparator))
                .flatMap(directory -> Stream.of("chromium", "chromium-browser").map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    void open(Path file, int width, int height, boolean dark) throws Exception {
        open(file.toUri(), width, height, dark);
    }

    /** Opens a page at a size and in a colour scheme; returns after it has loaded. */
    void open(URI page, int width, int height, boolean dark) throws Exception {
        complaints.clear();
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
        loaded = new CompletableFuture<>();
        call("Page.navigate", Map.of("url", page.toString()));
        loaded.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the value of an expression in the page; of a promise, after it is resolved. */
    JsonNode evaluate(String expression) throws Exception {
        JsonNode answer = call(
                "Runtime.evaluate",
                Map.of("expression", expression, "returnByValue", true, "userGesture", true, "awaitPromise", true));
        if (answer.has("exceptionDetails")) {
            throw new IOException("script failed: " + answer.get("exceptionDetails"));
        }
        return answer.get("result").path("value");
    }

    /** Returns errors and warnings on the console since the page was opened. */
    List<String> complaints() {
        return new ArrayList<>(complaints);
    }

    byte[] screenshot() throws Exception {
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", Map.of("format", "png"))
                        .get("data")
                        .asString());
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        return call(method, parameters, session);
    }

    private JsonNode call(String method, Map<String, ?> parameters, String inSession) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        Map<String, Object> message =
                new java.util.LinkedHashMap<>(Map.of("id", id, "method", method, "params", parameters));
        if (!inSession.isEmpty()) {
            message.put("sessionId", inSession);
        }
        socket.sendText(json.writeValueAsString(message), true).get(SECONDS, TimeUnit.SECONDS);
        JsonNode result = answer.get(SECONDS, TimeUnit.SECONDS);
        if (result.has("error")) {
            throw new IOException(method + ": " + result.get("error"));
        }
        return result.get("result");
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        client.shutdownNow();
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, 10, TimeUnit.SECONDS)
                .thenAccept(Process::destroyForcibly)
                .thenCompose(none -> process.onExit())
                .join();
        children.forEach(ProcessHandle::destroyForcibly);
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode message = json.readTree(text.toString());
                text.setLength(0);
                receive(message);
            }
            webSocket.request(1);
            return CompletableFuture.completedStage(null);
        }

        private void receive(JsonNode message) {
            if (message.has("id")) {
                CompletableFuture<JsonNode> answer =
                        answers.remove(message.get("id").asInt());
                if (answer != null) {
                    answer.complete(message);
                }
                return;
            }
            switch (message.path("method").asString()) {
                case "Page.loadEventFired" -> loaded.complete(true);
                case "Runtime.exceptionThrown" ->
                    complaints.add(message.get("params").toString());
                case "Runtime.consoleAPICalled" ->
                    complaints.add(message.get("params").toString());
                case "Log.entryAdded" -> complaints.add(message.get("params").toString());
                default -> {}
            }
        }
    }
}

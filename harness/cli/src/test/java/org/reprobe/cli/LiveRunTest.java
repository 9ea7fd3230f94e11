package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;

/** Page of a run in progress, requested from the program as a browser does. */
class LiveRunTest {
    private static final Pattern FIGURE = Pattern.compile("src=\"(figures/slow/figure-7\\.svg\\?\\d+)\"");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final HttpClient client = HttpClient.newHttpClient();
    private @Nullable Process process;

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /** Starts the program, and returns the address of its page. */
    private URI start(String durationMs) throws IOException, InterruptedException {
        return startScenario(TinyScenario.yaml(12).replace("duration-ms: 0.05", "duration-ms: " + durationMs));
    }

    private URI startScenario(String yaml) throws IOException, InterruptedException {
        Path file = Files.writeString(dir.resolve("slow.yaml"), yaml);
        List<String> command =
                TinyScenario.jvm("-cp", System.getProperty("java.class.path"), "org.reprobe.cli.Reprobe");
        command.addAll(List.of("run", "--live", file.toString(), "--jobs", "1", "--out", out().toString(), "--quiet"));
        Process started = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(dir.resolve("out").toFile())
                .redirectError(dir.resolve("err").toFile())
                .start();
        process = started;
        while (started.isAlive() && !Files.readString(dir.resolve("err")).contains("/\n")) {
            Thread.sleep(20);
        }
        assertThat(dir.resolve("err")).content().matches("# live: http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32}/\n");
        return URI.create(Files.readString(dir.resolve("err")).strip().substring("# live: ".length()));
    }

    private Path out() {
        return dir.resolve("results");
    }

    private HttpResponse<String> get(URI address) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the page without its head and its script. */
    private String text(URI page) throws IOException, InterruptedException {
        String body = get(page).body();
        return body.substring(body.indexOf("<h1>"), body.lastIndexOf("<script>"));
    }

    private static String firstLine(URI address, String request) throws IOException {
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    private int exitCode(String signal) throws IOException, InterruptedException {
        Process ended = java.util.Objects.requireNonNull(process);
        assertThat(new ProcessBuilder("bash", "-c", "kill -" + signal + " " + ended.pid())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(ended.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return ended.exitValue();
    }

    @Test
    void aCellAppearsInTheFigureAndAnInterruptClosesThePort() throws Exception {
        URI page = start("20");
        String path = page.getPath();
        assertThat(get(page.resolve("/")).statusCode()).isEqualTo(403);
        assertThat(get(page.resolve("/" + "0".repeat(32) + "/")).body())
                .isEqualTo("Open the address that the program has printed.\n");
        assertThat(firstLine(page, "GET " + path + " HTTP/1.1\nHost: rebound.example:" + page.getPort() + "\n\n"))
                .contains(" 403 ");
        assertThat(firstLine(page, "POST " + path + " HTTP/1.1\nHost: " + page.getAuthority() + "\n\n"))
                .contains(" 405 ");
        HttpResponse<String> first = get(page);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none'")
                .contains("frame-ancestors 'none'");
        assertThat(get(page.resolve("results/slow.yaml")).statusCode()).isEqualTo(404);
        assertThat(get(page.resolve("figures/slow/figure-8.svg")).statusCode()).isEqualTo(404);
        Matcher figure = FIGURE.matcher("");
        while (!figure.find()) {
            figure = FIGURE.matcher(text(page));
            Thread.sleep(50);
        }
        assertThat(text(page))
                .startsWith("<h1>Tiny</h1>")
                .containsPattern("[12] running") // the last run's result may not have been stored yet
                .contains("slow ", ", repeat 1/12")
                .containsPattern("so far: [1-6] of 6 cells, \\d+ of 72 runs");
        HttpResponse<String> drawn = get(page.resolve(figure.group(1)));
        assertThat(drawn.headers().firstValue("Content-Type")).contains("image/svg+xml");
        assertThat(drawn.body()).contains("<svg", "simulated");
        boolean ignored = ProgramTest.interruptsAreIgnored();
        assertThat(exitCode(ignored ? "TERM" : "INT")).isEqualTo(ignored ? 143 : 130);
        assertThatThrownBy(() -> get(page)).isInstanceOf(ConnectException.class);
        assertThat(dir.resolve("out")).content().contains("of 72 runs are kept");
        assertThat(dir.resolve("err")).content().doesNotContain("The page serves");
    }

    @Test
    void externalProgramsAreListedWhileTheyRun() throws Exception {
        URI page = startScenario("""
                title: Sleeping
                scheme: command
                fabric: shm
                clients: {machines: 2}
                command:
                  start: [sh, -c, "echo listening; sleep 600"]
                  ready: listening
                  run: [sleep, "600"]
                  metrics: {throughput: {from: ops, unit: ops/s}}
                """);
        while (!text(page).matches("(?s).*>server<.*>running<.*>client-0<.*>running<.*>client-1<.*>running<.*")) {
            Thread.sleep(200);
        }
    }

    @Test
    void theReportIsServedAtTheEndUntilThePageIsClosed() throws Exception {
        URI page = start("0.5");
        while (!text(page).contains("results/report.html")) {
            Thread.sleep(100);
        }
        assertThat(text(page)).contains("72 of 72 runs", "The run is complete.", out() + "/report.html");
        assertThat(get(page.resolve("results/report.html")).body())
                .isEqualTo(Files.readString(out().resolve("report.html")));
        assertThat(get(page.resolve("results/figure-7.data.csv")).statusCode()).isEqualTo(200);
        assertThat(get(page.resolve("results/%2e%2e/slow.yaml")).statusCode()).isEqualTo(404);
        assertThat(exitCode("TERM")).isZero();
        assertThat(dir.resolve("out")).content().contains("report.html");
    }

    /** The first answer is immediate; others wait for the end of a run, and for at most ten seconds. */
    @Test
    void noPageIsMadeDuringMeasuredRuns() throws Exception {
        URI page = startScenario("""
                title: Measured
                fabric: shm
                clients: {machines: 1, threads: 1}
                connection: {send-queue: 16}
                table: {records: 4096}
                measure: {repeats: 8, real-time-ms: 500}
                """);
        get(page);
        Matcher elapsed = Pattern.compile("\"time\">(\\d+)").matcher("");
        int pages = 0;
        for (String now = text(page); !now.contains("results/report.html"); now = text(page)) {
            if (elapsed.reset(now).find()) { // only of a run that takes more than ten seconds
                assertThat(Integer.parseInt(elapsed.group(1))).isGreaterThanOrEqualTo(9);
            }
            pages++;
            Thread.sleep(100);
        }
        assertThat(pages).isBetween(4, 30);
        assertThat(exitCode("TERM")).isZero();
    }
}

package org.reprobe.plots.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

/** Page of a run in progress, in a browser that requests it from a server of the test. */
@Needs(Need.BROWSER)
class LivePageInBrowserTest {
    private static final String SVG =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 3 2\"><path d=\"M0 0L3 2\"/></svg>";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile int runs = 1;

    private LivePage page() {
        LivePage.Figure drawn = new LivePage.Figure("Lookups", "figures/f.svg?" + runs, "");
        LivePage.Figure later = new LivePage.Figure("Later", runs < 3 ? "" : "figures/g.svg?" + runs, "");
        return new LivePage(
                "<script>alert(1)</script>",
                runs < 4 ? "running" : "complete",
                runs + " of 4 runs",
                "",
                runs / 4.0,
                runs < 4 ? List.of(List.of("client process 0", "17", "running: reading and writing")) : List.of(),
                runs < 4 ? List.of(List.of("cell", runs + "/4", "1 s", "")) : List.of(),
                List.of(new LivePage.Part("Title", "f · measured", "so far", "", List.of(drawn, later))),
                List.of("a message"),
                "/results/x",
                runs < 4 ? "" : "results/report.html");
    }

    private static void await(Browser browser, String condition) throws Exception {
        for (int i = 0; i < 300 && !browser.evaluate(condition).asBoolean(); i++) {
            Thread.sleep(100);
        }
        assertThat(browser.evaluate(condition).asBoolean()).as(condition).isTrue();
    }

    @Test
    void itFollowsTheRunWithoutBlinkingAndSaysWhenTheProgramHasEnded() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.add(exchange.getRequestURI().toString());
            boolean image = exchange.getRequestURI().getPath().endsWith(".svg");
            byte[] body = (image ? SVG : page().html()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", image ? "image/svg+xml" : "text/html; charset=utf-8");
            exchange.getResponseHeaders().set("Content-Security-Policy", LivePage.policy());
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (Browser browser = new Browser(Browser.find().orElseThrow())) {
            URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/token/");
            for (int width : new int[] {390, 1280}) {
                browser.open(address, width, 800, width < 600);
                assertThat(browser.evaluate("document.documentElement.scrollWidth")
                                .asInt())
                        .isLessThanOrEqualTo(width);
            }
            browser.evaluate("window.first = document.querySelector('img'); 0");
            runs = 3;
            await(browser, "document.querySelector('h2').textContent.startsWith('3 of 4 runs')");
            await(browser, "document.querySelectorAll('img').length === 2");
            await(browser, "document.querySelector('img').getAttribute('src') === 'figures/f.svg?3'");
            assertThat(browser.evaluate("window.first.isConnected").asBoolean()).isTrue();
            assertThat(requests).contains("/token/figures/f.svg?1", "/token/figures/f.svg?3", "/token/?");
            runs = 4;
            await(browser, "!!document.querySelector('a[href=\"results/report.html\"]')");
            await(browser, "document.getElementById('live').dataset.state === 'ended'");
            assertThat(browser.evaluate("document.querySelector('.copy').hidden")
                            .asBoolean())
                    .isFalse();
            assertThat(browser.complaints()).isEmpty();
            server.stop(0);
            await(browser, "document.querySelector('h2').textContent === 'The program has ended.'");
        } finally {
            server.stop(0);
        }
    }
}

package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.Nightly;

/**
 * A server and its clients on two hosts with their own addresses, as far as the network is concerned: two network
 * namespaces, between which a link is cut. They are started by hand, so only they end themselves.
 */
@Needs(Need.NETWORK_NAMESPACES)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Nightly(besides = "FaultsTest: links that are cut on the simulated card")
class CutLinkTest {
    private static final String SERVER = "192.0.2.1";
    private static final String CLIENT = "192.0.2.2";
    private static final Pattern NOTICES = Pattern.compile("--server (\\S+).*token-file: (\\w+)", Pattern.DOTALL);
    private static final int CLIENTS = 2;

    /** TCP retransmits in time: after 0.2, 0.6, 1.4, 3 s. */
    private static final long MOMENT_MS = 2_000;

    /** Shorter than a fabric's own 10 s: so the run's timeout ends it. */
    private static final long SILENCE_MS = 6_000;

    private static final long REAL_TIME_MS = 5_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private NetworkNamespace server;

    @SuppressWarnings("NullAway.Init")
    private NetworkNamespace client;

    @BeforeEach
    void connectHosts() throws Exception {
        server = NetworkNamespace.create();
        client = NetworkNamespace.create();
        server.connect("cable", client);
        server.up(SERVER);
        client.up(CLIENT);
    }

    @AfterEach
    void closeHosts() {
        server.close();
        client.close();
    }

    private DisturbedRun serve(String name, long silenceMs) throws Exception {
        Path file = Files.writeString(dir.resolve("cut.yaml"), DisturbedRun.scenario(1, 2, 1, REAL_TIME_MS));
        String out = dir.resolve(name).toString();
        return DisturbedRun.start(
                dir,
                name + "-server",
                server.prefix(),
                silenceMs,
                "serve",
                file.toString(),
                "--fabric", // only here: clients receive it
                "tcp",
                "--listen",
                SERVER + ":0",
                "--out",
                out);
    }

    /** Starts clients with the printed address and token. */
    private DisturbedRun drive(String name, DisturbedRun served, long silenceMs) throws Exception {
        Matcher notices = NOTICES.matcher(served.said());
        while (!notices.find()) {
            assertThat(served.waitFor(100)).as(served.said()).isFalse();
            notices = NOTICES.matcher(served.said());
        }
        Path token = Files.writeString(dir.resolve(name + ".token"), notices.group(2));
        return DisturbedRun.start(
                dir,
                name + "-client",
                client.prefix(),
                silenceMs,
                "drive",
                dir.resolve("cut.yaml").toString(),
                "--server",
                notices.group(1),
                "--token-file",
                token.toString());
    }

    @Test
    void aRestoredLinkCostsOnlyTime() throws Exception {
        try (DisturbedRun served = serve("back", DisturbedRun.USUAL_SILENCE_MS);
                DisturbedRun driven = drive("back", served, DisturbedRun.USUAL_SILENCE_MS)) {
            driven.awaitClients(CLIENTS);
            server.cut();
            Thread.sleep(MOMENT_MS);
            server.mend();
            assertThat(served.workers()).as(served.said()).isNotEmpty();
            DisturbedRun.Ending ending = served.end();
            assertThat(ending.complaints()
                            .replaceAll("waiting for .*|token, for .*", "")
                            .strip())
                    .isEmpty();
            assertThat(ending.exit()).isZero();
            assertThat(ending.left()).isEmpty();
            assertThat(driven.end()).isEqualTo(new DisturbedRun.Ending(0, "", List.of()));
            assertThat(Files.readString(dir.resolve("back/measurements.jsonl"))).contains("\"valid\": true");
        }
    }

    @Test
    void aLinkThatStaysCutEndsBothSides() throws Exception {
        try (DisturbedRun served = serve("cut", SILENCE_MS);
                DisturbedRun driven = drive("cut", served, SILENCE_MS)) {
            driven.awaitClients(CLIENTS);
            assertThat(served.workers()).as(served.said()).isNotEmpty();
            server.cut();
            DisturbedRun.Ending ending = served.end();
            assertThat(ending.exit()).isEqualTo(1);
            assertThat(ending.complaints())
                    .contains("client process 0 sent nothing for 6 s")
                    .doesNotContain("Exception");
            assertThat(ending.left()).isEmpty();
            DisturbedRun.Ending driver = driven.end();
            assertThat(driver.exit()).isEqualTo(1);
            assertThat(driver.complaints()).contains("sent nothing for 6 s").doesNotContain("Exception");
            assertThat(driver.left()).isEmpty();
        }
    }
}

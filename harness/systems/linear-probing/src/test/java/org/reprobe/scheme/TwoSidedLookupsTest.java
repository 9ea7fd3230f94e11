package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.sample.Sampling;
import org.reprobe.table.ExpectedTable;
import org.reprobe.table.RecordFormat;
import org.reprobe.table.RecordSizes;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

/** Lookups by messages on each fabric; {@link org.reprobe.conformance.Conformance} tries more tables. */
class TwoSidedLookupsTest {
    private static final int CLIENTS = 3;
    private static final int IN_FLIGHT = 5;

    private static Fabric fabric(String name, int serverThreads) throws Exception {
        return switch (name) {
            case "shm" -> new LocalFabric(name, List.of(ShmServer.open()), ShmClients::connect);
            case "tcp" ->
                new LocalFabric(
                        name,
                        List.of(new TcpServer(new InetSocketAddress("127.0.0.1", 0), TcpSettings.defaults())),
                        servers -> new TcpClients(servers, TcpSettings.defaults()));
            default -> new SimFabric(TestCard.plain(), new Placement(1, serverThreads, 1), 3);
        };
    }

    @ParameterizedTest
    @CsvSource({"sim, 1, INLINE, 0", "sim, 2, HEAP, 0", "sim, 2, HEAP, 12", "shm, 1, HEAP, 12", "tcp, 1, HEAP, 12"})
    void aLookupGetsAllRecordsOfItsKeyEvenIfTheyNeedSeveralReplies(
            String name, int serverThreads, Storage storage, int inlineBytes) throws Exception {
        TableSpec spec = new TableSpec(
                TableKind.LINEAR,
                storage,
                3000,
                100,
                0.8,
                1,
                1,
                1,
                new KeySpec(Distribution.ZIPF, 0.9, 1000),
                5,
                new RecordSizes(12, 0.5, inlineBytes));
        try (TableImage image = TableBuilder.build(spec, 1);
                Fabric fabric = fabric(name, serverThreads)) {
            ServerProgram program =
                    server -> new LookupServer(server, image.geometry(), image.table(), image.heap(), IN_FLIGHT).run();
            Replies replies = new Replies(image);
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            new RemoteTable(image.geometry(), new RemoteRegion(0, 0, 0), null),
                            image.keys(),
                            new Probing.TwoSided(serverThreads),
                            2 * IN_FLIGHT,
                            1,
                            5_000,
                            name.equals("sim") ? 800_000 : 100_000_000,
                            0,
                            7,
                            null,
                            Sampling.Conditions.NONE),
                    CLIENTS,
                    replies);
            fabric.run(CLIENTS, clients, Collections.nCopies(serverThreads, program));

            LookupCounters counters = clients.counters();
            assertThat(replies.wrong).isEmpty();
            assertThat(replies.finished)
                    .isGreaterThanOrEqualTo(counters.lookups())
                    .isGreaterThan(10);
            assertThat(counters.all().wrongAnswers()).isZero();
            // The hottest key has about 200 records, of which a reply has two to 20.
            assertThat(counters.shareWithAtLeast(2)).isPositive();
            assertThat(counters.heapRequests()).isZero();
        }
    }

    private static final class Replies implements MatchListener {
        private final TableImage image;
        private final ExpectedTable truth;
        private final Map<List<Integer>, List<Long>> found = new HashMap<>();
        private final List<String> wrong = new ArrayList<>();
        private long finished;

        Replies(TableImage image) {
            this.image = image;
            this.truth = new ExpectedTable(image.keys());
        }

        @Override
        public synchronized void found(
                int client, int lookup, int key, long ordinal, MemorySegment local, long offset) {
            int bytes = image.geometry().recordBytes(ordinal);
            found.computeIfAbsent(List.of(client, lookup), _ -> new ArrayList<>())
                    .add(RecordFormat.matches(local, offset, bytes, key, ordinal) ? ordinal : -1);
        }

        @Override
        public synchronized void finished(int client, int lookup, int key) {
            finished++;
            List<Long> all = found.remove(List.of(client, lookup));
            long[] sorted = all == null
                    ? new long[0]
                    : all.stream().mapToLong(Long::longValue).sorted().toArray();
            if (!Arrays.equals(sorted, truth.ordinals(key))) {
                wrong.add(key + ": " + all);
            }
        }
    }
}

package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.tao.EdgeAdds;
import org.reprobe.farm.tao.GraphShape;
import org.reprobe.farm.tao.TaoGraph;
import org.reprobe.farm.tao.TaoLayout;
import org.reprobe.farm.tao.TaoLists;
import org.reprobe.farm.tao.TaoMix;
import org.reprobe.farm.tao.TaoOperation;
import org.reprobe.farm.tao.TaoOperations;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/**
 * List of edges with a full head, clients that add edges, and clients that count them and read the newest through a
 * cached pointer to the head (FaRM 2014, section 4.4). Each client executes {@link TaoOperations} one after the other,
 * on a machine without the list. The history must be linearizable. In the end the list must be complete and as long as
 * its node's count.
 */
final class TaoTrial implements Trial {
    private static final int HOLDER = 0;

    private static final int OWN_MACHINE = 1;

    private static final int LOADED_EDGES = 2;
    private static final int FREE_BLOCKS = 4;
    private static final long SEED = 1;
    private static final long NEVER_NS = Long.MAX_VALUE;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** Graph shape with one type of edges, and no data in nodes or edges. */
    private static final GraphShape SHAPE = new GraphShape() {
        @Override
        public int types() {
            return 1;
        }

        @Override
        public long edges(long bits, int type) {
            return LOADED_EDGES;
        }

        @Override
        public int nodeBytes(long bits) {
            return 0;
        }

        @Override
        public int edgeBytes(long bits) {
            return 0;
        }

        @Override
        public int maxNodeBytes() {
            return 0;
        }

        @Override
        public int maxEdgeBytes() {
            return 0;
        }
    };

    private static final TaoLayout LAYOUT =
            new TaoLayout(1, TaoLayout.EDGES_AT + LOADED_EDGES * TaoLayout.edgeBytes(0), false);

    private static final int MAX_BYTES = EdgeAdds.maxWords(LAYOUT, SHAPE) * Long.BYTES;
    private static final int REPLY_BYTES = EdgeAdds.REPLY_WORDS * Long.BYTES;

    private final int rangeLimit;
    private final List<List<TaoOperation>> scripts;
    private final TaoGraph graph = new TaoGraph(LAYOUT, SHAPE, 1, 1, 0, FREE_BLOCKS, SEED);
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    /** @param scripts operations of each client */
    TaoTrial(int rangeLimit, List<List<TaoOperation>> scripts) {
        this.rangeLimit = rangeLimit;
        this.scripts = scripts;
    }

    @Override
    public int clients() {
        return scripts.size();
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public int atomicReadBytes() {
        return ObjectLayout.LINE_BYTES;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.memory(HOLDER).allocate(graph.endAt(HOLDER));
        graph.load(HOLDER, memory);
        region = fabric.memory(HOLDER).register(memory);
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        return List.<ServerProgram>of(this::serve);
    }

    private void serve(Server server) throws FabricException {
        Participant participant = new Participant(
                server,
                List.of(memory),
                graph::layoutAt,
                CommitRules.CORRECTED,
                new ReplicaLog(server, memory, 0, 0, graph::layoutAt));
        EdgeAdds.FreeBlocks free = graph.freeBlocks(HOLDER, memory, 0, 1);
        long[] words = new long[MAX_BYTES / Long.BYTES];
        RequestLoop.run(server, MAX_BYTES, REPLY_BYTES, new RequestLoop.Handler() {
            @Override
            public void handle(int connection, MemorySegment request, MemorySegment reply) {
                MemorySegment.copy(request, WORD, 0, words, 0, words.length);
                EdgeAdds.FreeBlock block = words[0] == EdgeAdds.REQUEST ? free.next() : null;
                if (block == null) {
                    reply.set(WORD, 0, participant.execute(words, words.length));
                } else {
                    reply.set(WORD, 0, block.offset());
                    reply.set(WORD, Long.BYTES, block.version());
                    reply.set(WORD, 2 * Long.BYTES, block.incarnation());
                }
            }

            @Override
            public void gone(List<Integer> connections) {
                // No recovery follows.
            }
        });
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        List<TaoOperation> script = scripts.get(client.index());
        LinkSender sender = new LinkSender(client);
        TaoOperations operations = new TaoOperations(
                client, parameters(script), OWN_MACHINE, 0, List.of(MemorySegment.NULL, sender.local), 0, 0, history);
        for (int i = 0; i < script.size(); i++) {
            if (!sender.run(operations)) {
                throw new IllegalStateException("an object was torn, or does not belong to the list");
            }
        }
    }

    /** Returns parameters with equal shares of all kinds, so that the bits of a random number select the kind. */
    private TaoOperations.Parameters parameters(List<TaoOperation> script) {
        int kinds = TaoMix.READS.size() + 1;
        LongUnaryOperator coin = number -> {
            TaoOperation operation = script.get((int) number);
            int place = 1 + TaoMix.READS.indexOf(operation); // operations that add an edge come first
            return (long) ((place + 0.5) / kinds * (1L << 53)) << (Long.SIZE - 53);
        };
        return new TaoOperations.Parameters(
                graph,
                List.of(region),
                new TaoOperations.Draws(
                        new TaoMix(1.0 / kinds, List.of(1.0, 1.0, 1.0, 1.0, 1.0)),
                        _ -> 0,
                        _ -> 0,
                        _ -> 0,
                        coin,
                        new TaoMix.Multiget(1, 0.5)),
                rangeLimit,
                0,
                new ThreadPlan(1, 1, 1, 1, 1, NEVER_NS, SEED),
                new Replication(RegionCopies.inOrder(1, 1, 0), ReplicationMode.PREPARE_COMMIT, 0, LogStages.NONE));
    }

    /** Executes an operation's requests one after the other until it has no more. */
    private static final class LinkSender implements RemoteRequests.Sender {
        private final Client client;
        private final MemorySegment local;
        private final QueuePair connection;
        private final Completions completions = new Completions(1);
        private final RequestLink link;
        private final long[] requestWords = new long[MAX_BYTES / Long.BYTES];
        private int words;
        private boolean reads;
        private boolean waits;

        LinkSender(Client client) throws FabricException {
            this.client = client;
            this.local = client.allocate(TaoOperations.readBytes(LAYOUT, SHAPE, 1));
            this.connection = client.connect(HOLDER, local, ConnectionOptions.oneSided(1, 1));
            this.link = new RequestLink(client, HOLDER, MAX_BYTES, REPLY_BYTES);
        }

        boolean run(TaoOperations operations) throws FabricException {
            boolean right = operations.begin(0, this);
            while (reads || waits || words > 0) {
                if (reads) {
                    reads = false;
                    connection.doorbell();
                    connection.await(completions);
                    right &= operations.readCompleted(0, 0, this);
                } else if (waits) {
                    waits = false;
                    client.pause(1);
                    right &= operations.resume(0, this);
                } else {
                    right &= exchange(operations);
                }
            }
            return right;
        }

        private boolean exchange(TaoOperations operations) throws FabricException {
            MemorySegment.copy(requestWords, 0, link.request(), WORD, 0, words);
            int bytes = (requestWords[0] == EdgeAdds.REQUEST ? EdgeAdds.REPLY_WORDS : 1) * Long.BYTES;
            int count = words;
            words = 0;
            MemorySegment reply = link.call(count * Long.BYTES);
            return operations.replyReceived(0, HOLDER, reply, 0, bytes, this);
        }

        @Override
        public void sendRequest(int machine, long[] asked, int count) {
            System.arraycopy(asked, 0, requestWords, 0, count);
            words = count;
        }

        @Override
        public void read(int part, int machine, RemoteRegion from, long offset, long to, int bytes)
                throws FabricException {
            connection.read(0, to, from.address() + offset, from.key(), bytes, true);
            reads = true;
        }

        @Override
        public void waitFor(long ns) {
            waits = true;
        }
    }

    @Override
    public @Nullable String violation(History history) {
        String broken = graph.state(HOLDER, memory).wrong();
        if (broken != null) {
            return broken;
        }
        return new LinearizabilityCheck<>(new TaoLists()).check(history) instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        long end = offset;
        String object = "node";
        for (int i = 0; i < FREE_BLOCKS; i++) {
            if (offset >= graph.freeAt(HOLDER, i)) {
                end = offset - graph.freeAt(HOLDER, i);
                object = "block " + (i + 1);
            }
        }
        if (object.equals("node") && offset >= Address.offsetOf(graph.loadedHead(0))) {
            end = offset - Address.offsetOf(graph.loadedHead(0));
            object = "block 0";
        }
        return object + (end == 0 ? "" : " +" + end);
    }
}

package org.reprobe.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.testing.Seeds;
import org.reprobe.trust.Handshake;

/** Decoder tests without a network: random, damaged and arbitrarily split streams of frames. */
class FrameFuzzTest {
    private static final long SEED = Seeds.seed();
    private static final int ROUNDS = 800;
    private static final int GREETING_BYTES = 112;
    private static final int GUARD_BYTES = 256;
    private static final int REGION_BYTES = 1024;

    /** Server's end with input from the test and recorded output. */
    private static final class Bench implements TcpPeer.Events {
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        final TcpRegions regions = new TcpRegions();
        final MemorySegment memory;
        final RemoteRegion region;
        final TcpPeer peer = new TcpPeer(regions, this, this::take, true);

        Bench(Arena arena) {
            memory = arena.allocate(REGION_BYTES + 2 * GUARD_BYTES, 64);
            memory.fill((byte) 7);
            region = regions.register(memory.asSlice(GUARD_BYTES, REGION_BYTES));
        }

        private void take(Chunk chunk) {
            byte[] bytes = new byte[chunk.buffer.readableBytes()];
            chunk.buffer.readBytes(bytes);
            chunk.buffer.release();
            said.writeBytes(bytes);
        }

        /** Feeds bytes as a socket does: what fits into the chunk, in parts of at most {@code max} bytes. */
        void feed(byte[] bytes, SplittableRandom random, int max) throws MalformedFrameException {
            feed(bytes, random, max, () -> {});
        }

        void feed(byte[] bytes, SplittableRandom random, int max, Runnable look) throws MalformedFrameException {
            for (int at = 0; at < bytes.length; ) {
                Chunk input = peer.input();
                int from = peer.to();
                int part = Math.min(Math.min(bytes.length - at, 1 + random.nextInt(max)), input.bytes() - from);
                MemorySegment.copy(bytes, at, input.memory, ValueLayout.JAVA_BYTE, from, part);
                at += part;
                peer.received(from + part);
                peer.produce();
                look.run();
            }
        }

        boolean guardsStand() {
            for (int i = 0; i < GUARD_BYTES; i++) {
                if (memory.get(ValueLayout.JAVA_BYTE, i) != 7
                        || memory.get(ValueLayout.JAVA_BYTE, GUARD_BYTES + REGION_BYTES + i) != 7) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public byte[] hello(MemorySegment memory, long at) {
            return new byte[Handshake.NONCE_BYTES];
        }

        @Override
        public byte[] proven(byte[] proof) {
            return new byte[Handshake.PROOF_BYTES]; // any token will do here
        }

        @Override
        public byte[] challenged(byte[] nonce) {
            throw new AssertionError("a server was challenged");
        }

        @Override
        public void welcomed(byte[] proof) {
            throw new AssertionError("a server was welcomed");
        }

        @Override
        public void ended(int clients) {
            // Not counted.
        }

        @Override
        public void close() {
            throw new AssertionError("unexpected close");
        }
    }

    /** Returns a stream of valid requests on a region of {@link #REGION_BYTES}. */
    private static byte[] requests(SplittableRandom random, RemoteRegion region, int count) {
        ByteBuffer stream = ByteBuffer.allocate(GREETING_BYTES + count * (64 + REGION_BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        stream.putLong(Frames.word(Frames.HELLO, 0))
                .putLong(Frames.MAGIC)
                .putLong(0)
                .put(new byte[Handshake.NONCE_BYTES + Handshake.PROOF_BYTES])
                .putLong(Frames.word(Frames.PROOF, 0))
                .put(new byte[Handshake.PROOF_BYTES]);
        for (int i = 0; i < count; i++) {
            int kind = 1 + random.nextInt(4);
            boolean atomic = kind == Frames.COMPARE_AND_SWAP || kind == Frames.FETCH_AND_ADD;
            int bytes = atomic ? 8 : random.nextInt(REGION_BYTES + 1);
            long offset = atomic ? 8L * random.nextInt(REGION_BYTES / 8) : random.nextInt(REGION_BYTES - bytes + 1);
            stream.putLong(Frames.word(kind, bytes));
            stream.putLong(region.address() + offset);
            stream.putLong(region.key() & 0xFFFF_FFFFL);
            for (int operand = kind == Frames.COMPARE_AND_SWAP ? 2 : atomic ? 1 : 0; operand > 0; operand--) {
                stream.putLong(random.nextInt(3));
            }
            for (int b = 0; kind == Frames.WRITE && b < bytes; b++) {
                stream.put((byte) random.nextInt());
            }
        }
        byte[] bytes = new byte[stream.position()];
        stream.get(0, bytes);
        return bytes;
    }

    @Test
    void aStreamMeansTheSameWhereverItIsCut() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 20; round++) {
            long seed = random.nextLong();
            List<byte[]> answers = new ArrayList<>();
            List<byte[]> memories = new ArrayList<>();
            for (int max : new int[] {Integer.MAX_VALUE, 1, 50, 3000}) {
                try (Arena arena = Arena.ofConfined()) {
                    Bench bench = new Bench(arena);
                    // Keys are random, so each stream is made for its bench.
                    bench.feed(requests(new SplittableRandom(seed), bench.region, 60), random.split(), max);
                    answers.add(withoutAcknowledgements(bench.said.toByteArray()));
                    memories.add(bench.memory.toArray(ValueLayout.JAVA_BYTE));
                    assertThat(bench.guardsStand()).isTrue();
                }
            }
            for (int i = 1; i < answers.size(); i++) {
                assertThat(answers.get(i)).as("-Dreprobe.seed=%d", SEED).isEqualTo(answers.getFirst());
                assertThat(memories.get(i)).as("-Dreprobe.seed=%d", SEED).isEqualTo(memories.getFirst());
            }
            assertThat(answers.getFirst().length).isGreaterThan(60);
        }
    }

    /** The visible part of a WRITE that arrives in parts consists of whole words, from the first on. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 50})
    void wordsOfAWriteAreAtomic(int max) throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            Bench bench = new Bench(arena);
            int words = REGION_BYTES / Long.BYTES;
            ByteBuffer write =
                    ByteBuffer.allocate(3 * Long.BYTES + REGION_BYTES - 5).order(ByteOrder.LITTLE_ENDIAN);
            write.putLong(Frames.word(Frames.WRITE, REGION_BYTES - 5))
                    .putLong(bench.region.address() + 3)
                    .putLong(bench.region.key() & 0xFFFF_FFFFL);
            while (write.hasRemaining()) {
                write.put((byte) 9);
            }
            SplittableRandom random = new SplittableRandom(SEED);
            bench.feed(requests(random, bench.region, 0), random, GREETING_BYTES);
            int[] most = {0};
            bench.feed(write.array(), random, max, () -> {
                int landed = 1;
                while (landed < words - 1 && word(bench, landed) == 0x0909_0909_0909_0909L) {
                    landed++;
                }
                for (int word = landed; word < words - 1; word++) {
                    assertThat(word(bench, word)).as("word %d", word).isEqualTo(0x0707_0707_0707_0707L);
                }
                most[0] = landed;
            });
            assertThat(most[0]).isEqualTo(words - 1);
            assertThat(word(bench, 0)).isEqualTo(0x0909_0909_0907_0707L);
            assertThat(word(bench, words - 1)).isEqualTo(0x0707_0909_0909_0909L);
        }
    }

    private static long word(Bench bench, int number) {
        return bench.memory.get(ValueLayout.JAVA_LONG, GUARD_BYTES + number * (long) Long.BYTES);
    }

    /** Removes acknowledgements, whose number per frame depends on the splits; their total must not. */
    private static byte[] withoutAcknowledgements(byte[] sent) throws MalformedFrameException {
        ByteBuffer in = ByteBuffer.wrap(sent).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer out = ByteBuffer.allocate(sent.length + 8).order(ByteOrder.LITTLE_ENDIAN);
        long acknowledged = 0;
        while (in.hasRemaining()) {
            long word = in.getLong();
            if (Frames.kind(word) == Frames.ACKNOWLEDGE) {
                acknowledged += Frames.number(word);
            } else {
                out.putLong(word);
                if (Frames.kind(word) == Frames.RESPONSE) {
                    byte[] payload = new byte[Frames.number(word)];
                    in.get(payload);
                    out.put(payload);
                } else if (Frames.kind(word) == Frames.CHALLENGE || Frames.kind(word) == Frames.WELCOME) {
                    in.position(in.position() + Frames.headerBytes(word) - 8);
                }
            }
        }
        out.putLong(acknowledged);
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    /** The decoder accepts or refuses any input: it throws nothing else and accesses nothing but the region. */
    @Test
    void damagedStreamsAreTakenOrRefusedAndTouchNothingElse() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try (Arena arena = Arena.ofConfined()) {
                Bench bench = new Bench(arena);
                if (random.nextBoolean()) {
                    bench.peer.use(new TcpQueuePair(
                            bench.peer,
                            new IdleProgram(),
                            () -> {},
                            arena.allocate(64),
                            new ConnectionOptions(4, 4, 4)));
                }
                byte[] stream = requests(random, bench.region, 6);
                for (int damage = 1 + random.nextInt(6); damage > 0; damage--) {
                    int at = GREETING_BYTES + random.nextInt(stream.length - GREETING_BYTES);
                    switch (random.nextInt(3)) {
                        case 0 -> stream[at] = (byte) random.nextInt();
                        case 1 -> stream[at] ^= (byte) (1 << random.nextInt(8));
                        default -> stream[at & ~7] = (byte) random.nextInt(20);
                    }
                }
                try {
                    bench.feed(stream, random, 1 + random.nextInt(stream.length));
                } catch (MalformedFrameException e) {
                    refused++;
                } catch (RuntimeException e) {
                    throw new AssertionError("-Dreprobe.seed=" + SEED + ", round " + round, e);
                }
                assertThat(bench.guardsStand())
                        .as("-Dreprobe.seed=%d round %d", SEED, round)
                        .isTrue();
            }
        }
        assertThat(refused).as("-Dreprobe.seed=%d", SEED).isBetween(ROUNDS / 10, ROUNDS - 1);
    }

    private static final class IdleProgram implements TcpQueuePair.Program {
        @Override
        public void look(TcpQueuePair end) throws FabricException {
            throw new AssertionError("unexpected poll");
        }

        @Override
        public void step(TcpQueuePair end) throws FabricException {
            throw new AssertionError("unexpected wait");
        }
    }
}

package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * A machine whose region is full gets others while it runs, and tells another machine the objects' addresses. That one asks for a region's
 * capability when it meets the first address there, and reads all objects.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GrowingMemoryTest {
    private static final int OWNER = 0;
    private static final int READER = 1;
    private static final int OBJECTS = 24;
    private static final int PAYLOAD_BYTES = 900_000;
    private static final long REGION_BYTES = 8L << 20;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final VirtualRings rings = new VirtualRings(VirtualRings.PRINTED_RINGS, 11, 22);
    private final RingPlaces places = new RingPlaces(new RingLayout(512), 2, 1, 0);
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"sim", "shm", "tcp"})
    void aShardGrowsByRegionsWhileOthersRead(String name) throws Exception {
        try (Fabric fabric = FarmFabrics.open(name, 2)) {
            for (int machine = 0; machine < 2; machine++) {
                MemorySegment memory = fabric.memory(machine).allocate(places.bytes());
                memories.add(memory);
                regions.add(fabric.memory(machine).register(memory));
            }
            RegionAllocator allocator =
                    new RegionAllocator(fabric.memory(OWNER), rings, OWNER, REGION_BYTES, 100, new Rng(4));
            Reader reader = new Reader();
            fabric.run(2, client -> {
                if (client.index() == OWNER) {
                    new Owner(client, allocator).run();
                } else {
                    reader.run(client);
                }
            });
            assertThat(reader.read).isEqualTo(OBJECTS);
            assertThat(allocator.count()).isGreaterThan(2);
            assertThat(reader.asked).as("once for each region").isEqualTo(allocator.count());
        }
    }

    private static ObjectLayout layout(Client client) {
        return ObjectLayout.inSizeClass(PAYLOAD_BYTES, client.atomicReadBytes() < ObjectLayout.LINE_BYTES);
    }

    private Messages messages(Client client, MessageExchange.Handler handler) throws FabricException {
        int own = client.index();
        return new Messages(
                client,
                places,
                own,
                0,
                memories.get(own),
                regions,
                ConnectionOptions.oneSided(16, 1),
                0,
                false,
                0,
                false,
                handler);
    }

    /** What comes in, by one message at a time. */
    private abstract static class OneByOne implements MessageExchange.Handler {
        @Override
        public void room(int machine) {
            // Never more than one message is under way.
        }
    }

    /** Allocates objects and tells their addresses; answers questions for capabilities. */
    private final class Owner {
        private final Client client;
        private final RegionAllocator allocator;
        /** A region whose capability is asked for. */
        private int region;

        private boolean isAsked;
        private int toldObjects;
        private int readObjects;

        Owner(Client client, RegionAllocator allocator) {
            this.client = client;
            this.allocator = allocator;
        }

        void run() throws FabricException {
            ObjectLayout layout = layout(client);
            SlabAllocator slabs = new SlabAllocator(new BlockAllocator(allocator), layout.alignment());
            MemorySegment answer = MemorySegment.ofArray(new long[4]);
            Messages messages = messages(client, new OneByOne() {
                @Override
                public void received(int machine, MemorySegment message, int bytes) {
                    if (bytes == Capabilities.QUESTION_BYTES) {
                        region = Capabilities.takeQuestion(message);
                        isAsked = true;
                    } else {
                        readObjects++;
                    }
                }
            });
            client.barrier();
            while (readObjects < OBJECTS || !messages.areIdle()) {
                if (isAsked) {
                    Capabilities.putAnswer(answer, region, allocator.capability(region));
                    messages.send(READER, answer, Capabilities.ANSWER_BYTES);
                    isAsked = false;
                } else if (toldObjects == readObjects && toldObjects < OBJECTS) {
                    long place = slabs.allocate(SizeClasses.of(layout.bytes()));
                    MemorySegment payload =
                            MemorySegment.ofArray(new byte[PAYLOAD_BYTES]).fill((byte) ++toldObjects);
                    MemorySegment memory =
                            allocator.region(BlockAllocator.regionOf(place)).memory();
                    layout.write(memory, BlockAllocator.offsetOf(place), 4, 1, payload);
                    answer.set(WORD, 0, allocator.address(place));
                    messages.send(READER, answer, Long.BYTES);
                } else {
                    messages.poll(Long.MAX_VALUE);
                }
            }
        }
    }

    /** Reads each object whose address it is told. */
    private final class Reader {
        private int read;
        private int asked;
        /** Of the object to be read, if it is told. */
        private long address;

        private boolean isTold;

        void run(Client client) throws FabricException {
            ObjectLayout layout = layout(client);
            Capabilities capabilities = new Capabilities(rings);
            MemorySegment local = client.allocate(layout.bytes());
            QueuePair reads = client.connect(OWNER, local, ConnectionOptions.oneSided(1, 1));
            MemorySegment payload = MemorySegment.ofArray(new byte[PAYLOAD_BYTES]);
            MemorySegment question = MemorySegment.ofArray(new long[2]);
            Completions completions = new Completions(1);
            Messages messages = messages(client, new OneByOne() {
                @Override
                public void received(int machine, MemorySegment message, int bytes) {
                    if (bytes == Capabilities.ANSWER_BYTES) {
                        capabilities.takeAnswer(message);
                    } else {
                        address = message.get(WORD, 0);
                        isTold = true;
                    }
                }
            });
            client.barrier();
            boolean waits = false;
            while (read < OBJECTS || !messages.areIdle()) {
                RemoteRegion region = isTold ? capabilities.find(address) : null;
                if (region != null) {
                    waits = false;
                    long at = FarmTable.offsetOf(address);
                    assertThat(capabilities.machine(address)).isEqualTo(OWNER);
                    reads.read(0, 0, Capabilities.remote(region, address), region.key(), layout.bytes(), true);
                    reads.doorbell();
                    reads.await(completions);
                    assertThat(completions.status(0)).isEqualTo(Completions.Status.SUCCESS);
                    assertThat(layout.read(local, 0, at, payload)).isTrue();
                    read++;
                    assertThat(payload.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) read);
                    assertThat(payload.get(ValueLayout.JAVA_BYTE, PAYLOAD_BYTES - 1L))
                            .isEqualTo((byte) read);
                    isTold = false;
                    messages.send(OWNER, question, 2 * Long.BYTES);
                } else if (isTold && !waits) {
                    Capabilities.putQuestion(question, Capabilities.number(address));
                    messages.send(OWNER, question, Capabilities.QUESTION_BYTES);
                    waits = true;
                    asked++;
                } else {
                    messages.poll(Long.MAX_VALUE);
                }
            }
        }
    }
}

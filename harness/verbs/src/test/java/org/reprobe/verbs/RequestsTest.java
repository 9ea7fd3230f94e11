package org.reprobe.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

/**
 * Arguments and results of a device's functions, which this test implements: it reads the structures as a device does.
 * No device is required. {@link PollTest} covers polling.
 */
@Needs(Need.RDMA_CORE)
@SuppressWarnings({"restricted", "JdkObsolete"}) // native functions; DiSNI takes linked lists
class RequestsTest {
    private final Arena arena = Arena.ofAuto();
    private final List<Posted> posted = new ArrayList<>();
    private int result;

    @SuppressWarnings("NullAway.Init")
    private ProtectionDomain domain;

    @SuppressWarnings("NullAway.Init")
    private ReliableQueuePair pair;

    private record Posted(
            long id,
            int opcode,
            int flags,
            long local,
            int bytes,
            int localKey,
            long remote,
            int key,
            long compareOrAdd,
            long swap) {
        Posted(long id, int opcode, int flags, long local, int bytes, int localKey, long remote, int key) {
            this(id, opcode, flags, local, bytes, localKey, remote, key, 0, 0);
        }
    }

    @BeforeEach
    void makeDevice() throws Exception {
        DisniProvider.install();
        long context = zeroed(StructLayout.Context.BYTES);
        RdmaCore.putLong(context + StructLayout.Context.POST_SEND, function("postSend"));
        RdmaCore.putLong(context + StructLayout.Context.POST_RECEIVE, function("postReceive"));
        DeviceContext device = new DeviceContext(context);
        long pairAt = zeroed(StructLayout.Pair.BYTES);
        RdmaCore.putLong(pairAt + StructLayout.Pair.CONTEXT, context);
        RdmaCore.putInt(pairAt + StructLayout.Pair.NUMBER, 17);
        long domainAt = zeroed(StructLayout.Domain.BYTES);
        RdmaCore.putLong(domainAt + StructLayout.Domain.CONTEXT, context);
        domain = new ProtectionDomain(device, domainAt);
        pair = new ReliableQueuePair(device, domain, new IbvQPInitAttr(), pairAt);
    }

    private long zeroed(long bytes) {
        return arena.allocate(bytes, 8).address();
    }

    private long function(String name) throws ReflectiveOperationException {
        MethodHandle handle = MethodHandles.lookup()
                .bind(this, name, MethodType.methodType(int.class, long.class, long.class, long.class));
        FunctionDescriptor type = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        return Linker.nativeLinker().upcallStub(handle, type, arena).address();
    }

    int postSend(long to, long list, long bad) {
        assertThat(to).isEqualTo(pair.address());
        for (long at = list; at != 0; at = RdmaCore.getLong(at + StructLayout.SendRequest.NEXT)) {
            int opcode = RdmaCore.getInt(at + StructLayout.SendRequest.OPCODE);
            boolean atomic =
                    opcode == IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD;
            long sge = RdmaCore.getLong(at + StructLayout.SendRequest.SG_LIST);
            posted.add(new Posted(
                    RdmaCore.getLong(at + StructLayout.SendRequest.ID),
                    opcode,
                    RdmaCore.getInt(at + StructLayout.SendRequest.FLAGS),
                    RdmaCore.getLong(sge + StructLayout.Sge.ADDRESS),
                    RdmaCore.getInt(sge + StructLayout.Sge.LENGTH),
                    RdmaCore.getInt(sge + StructLayout.Sge.KEY),
                    RdmaCore.getLong(at
                            + (atomic
                                    ? StructLayout.SendRequest.ATOMIC_ADDRESS
                                    : StructLayout.SendRequest.RDMA_ADDRESS)),
                    RdmaCore.getInt(
                            at + (atomic ? StructLayout.SendRequest.ATOMIC_KEY : StructLayout.SendRequest.RDMA_KEY)),
                    atomic ? RdmaCore.getLong(at + StructLayout.SendRequest.ATOMIC_COMPARE_ADD) : 0,
                    atomic ? RdmaCore.getLong(at + StructLayout.SendRequest.ATOMIC_SWAP) : 0));
        }
        return result;
    }

    int postReceive(long to, long list, long bad) {
        assertThat(to).isEqualTo(pair.address());
        for (long at = list; at != 0; at = RdmaCore.getLong(at + StructLayout.ReceiveRequest.NEXT)) {
            assertThat(RdmaCore.getInt(at + StructLayout.ReceiveRequest.NUM_SGE))
                    .isEqualTo(1);
            long sge = RdmaCore.getLong(at + StructLayout.ReceiveRequest.SG_LIST);
            posted.add(new Posted(
                    RdmaCore.getLong(at + StructLayout.ReceiveRequest.ID),
                    -1,
                    0,
                    RdmaCore.getLong(sge + StructLayout.Sge.ADDRESS),
                    RdmaCore.getInt(sge + StructLayout.Sge.LENGTH),
                    RdmaCore.getInt(sge + StructLayout.Sge.KEY),
                    0,
                    0));
        }
        return result;
    }

    private static Posted read(int i) {
        return new Posted(i, IbvSendWR.IBV_WR_RDMA_READ, 2, 1000 + i, 8, 3, 1L << 40 | i, 5);
    }

    private static void put(SendRing ring, int place, int i) {
        Posted read = read(i);
        ring.put(place, read.id, read.opcode, read.flags, read.local, read.bytes, read.localKey, read.remote, read.key);
    }

    @Test
    void oneDoorbellPostsARunOfTheRingAlsoBeyondItsEnd() throws Exception {
        try (SendRing ring = new SendRing(pair, 4)) {
            for (int place = 0; place < 4; place++) {
                put(ring, place, place);
            }
            ring.post(0, 1);
            assertThat(posted).containsExactly(read(0));
            posted.clear();
            ring.post(1, 3);
            assertThat(posted).containsExactly(read(1), read(2), read(3));
            posted.clear();
            put(ring, 0, 10);
            ring.post(3, 2);
            assertThat(posted).containsExactly(read(3), read(10));
            posted.clear();
            ring.post(2, 4); // all of it
            assertThat(posted).containsExactly(read(2), read(3), read(10), read(1));
        }
    }

    @Test
    void atomicsHaveTheirOperandsAndEightBytes() throws Exception {
        try (SendRing ring = new SendRing(pair, 2)) {
            ring.compareAndSwap(0, 1, 2, 1000, 3, 1L << 40, 5, 0x1111, 0x2222);
            ring.fetchAndAdd(1, 2, 0, 1008, 3, 1L << 41, 6, 0x3333);
            ring.post(0, 2);
        }
        assertThat(posted)
                .containsExactly(
                        new Posted(1, IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, 2, 1000, 8, 3, 1L << 40, 5, 0x1111, 0x2222),
                        new Posted(2, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 1008, 8, 3, 1L << 41, 6, 0x3333, 0));
    }

    @Test
    void aRefusedPostReportsItsErrorAndLeavesTheRingIntact() throws Exception {
        try (SendRing ring = new SendRing(pair, 2);
                ReceiveRequests receives = new ReceiveRequests(pair)) {
            put(ring, 0, 0);
            put(ring, 1, 1);
            result = 12;
            assertThatThrownBy(() -> ring.post(0, 1))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageStartingWith("ibv_post_send failed: ENOMEM");
            assertThatThrownBy(() -> receives.post(1, 1000, 8, 3))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(12))
                    .hasMessageStartingWith("ibv_post_recv failed");
            result = 0;
            posted.clear();
            ring.post(0, 2);
            assertThat(posted).containsExactly(read(0), read(1));
        }
    }

    @Test
    void aReceiveIsPostedAtOnceWithItsBuffer() throws Exception {
        try (ReceiveRequests receives = new ReceiveRequests(pair)) {
            receives.post(1L << 62, 4096, 64, 3);
        }
        assertThat(posted).containsExactly(new Posted(1L << 62, -1, 0, 4096, 64, 3, 0, 0));
    }

    @Test
    void disnisListsReachTheDeviceAsTheyAre() throws Exception {
        IbvSendWR first = send(1, IbvSendWR.IBV_WR_RDMA_WRITE, 2);
        first.getRdma().setRemote_addr(1L << 40);
        first.getRdma().setRkey(5);
        IbvSendWR second = send(2, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, 0);
        second.getAtomic().setRemote_addr(1L << 41);
        second.getAtomic().setRkey(6);
        second.getAtomic().setCompare_add(7);
        SVCPostSend call = new PostSendCall(pair, List.of(first, second));
        call.execute();
        call.getWrMod(0).setWr_id(3);
        call.getWrMod(0).getRdmaMod().setRemote_addr(1L << 42);
        call.getWrMod(1).getSgeMod(0).setLength(4);
        call.execute();

        assertThat(posted)
                .containsExactly(
                        new Posted(1, IbvSendWR.IBV_WR_RDMA_WRITE, 2, 1000, 8, 3, 1L << 40, 5),
                        new Posted(2, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 1000, 8, 3, 1L << 41, 6, 7, 0),
                        new Posted(3, IbvSendWR.IBV_WR_RDMA_WRITE, 2, 1000, 8, 3, 1L << 42, 5),
                        new Posted(2, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 1000, 4, 3, 1L << 41, 6, 7, 0));
        assertThatThrownBy(() -> call.getWrMod(2)).hasMessage("there are 2 requests, none with index 2");
        call.free();
        assertThat(call.isValid()).isFalse();
        assertThatThrownBy(call::execute).isInstanceOf(IOException.class);
    }

    @Test
    void disnisReceivesReachTheDeviceAsTheyAre() throws Exception {
        IbvRecvWR one = new IbvRecvWR();
        one.setWr_id(9);
        one.setSg_list(new LinkedList<>(List.of(buffer())));
        one.setNum_sge(1);
        new PostReceiveCall(pair, List.of(one, one)).execute().free();
        Posted receive = new Posted(9, -1, 0, 1000, 8, 3, 0, 0);
        assertThat(posted).containsExactly(receive, receive);
    }

    @Test
    void aStructureThatIsLaidOutOtherwiseIsRefused() throws Exception {
        long elsewhere = zeroed(StructLayout.Pair.BYTES);
        assertThatThrownBy(() -> new ReliableQueuePair(
                        (DeviceContext) pair.getContext(), domain, new IbvQPInitAttr(), elsewhere))
                .hasMessageContaining("another structure layout: ibv_qp.context is 0");
    }

    /** A context's command file is a device's; any other file indicates wrong offsets. */
    @Test
    void aContextThatIsNoDevicesIsRefused() {
        assertThatThrownBy(() -> Contexts.of(((DeviceContext) pair.getContext()).address()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ibv_context.cmd_fd");
    }

    private static IbvSendWR send(long id, int opcode, int flags) {
        IbvSendWR request = new IbvSendWR();
        request.setWr_id(id);
        request.setOpcode(opcode);
        request.setSend_flags(flags);
        request.setSg_list(new LinkedList<>(List.of(buffer())));
        request.setNum_sge(1);
        return request;
    }

    private static IbvSge buffer() {
        IbvSge buffer = new IbvSge();
        buffer.setAddr(1000);
        buffer.setLength(8);
        buffer.setLkey(3);
        return buffer;
    }
}

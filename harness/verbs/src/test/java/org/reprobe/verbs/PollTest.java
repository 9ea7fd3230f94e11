package org.reprobe.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvWC;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

/** Polling of completions written by a C program: a small library takes the device's place. */
@Needs(Need.C_COMPILER)
@SuppressWarnings("restricted") // native functions
class PollTest {
    private static final String DEVICE = """
            #include <infiniband/verbs.h>
            static struct ibv_wc answers[8];
            static int count, failure;
            void fail(int result) { failure = result; }
            void answer(long id, int status, int bytes, int vendor) {
              struct ibv_wc wc = {.wr_id = id, .status = status, .opcode = IBV_WC_RECV, .vendor_err = vendor,
                                  .byte_len = bytes, .qp_num = 17, .src_qp = 18, .wc_flags = 3, .pkey_index = 4, .slid = 5,
                                  .sl = 6, .dlid_path_bits = 7};
              answers[count++] = wc;
            }
            int take(struct ibv_cq *cq, int most, struct ibv_wc *to) {
              static int taken;
              if (failure) return failure;
              int i = 0;
              while (i < most && taken < count) to[i++] = answers[taken++];
              if (taken == count) taken = count = 0;
              return i;
            }
            """;

    private final Arena arena = Arena.ofAuto();

    @SuppressWarnings("NullAway.Init")
    private CompletionQueue queue;

    @SuppressWarnings("NullAway.Init")
    private MethodHandle answer;

    @SuppressWarnings("NullAway.Init")
    private MethodHandle fail;

    @BeforeEach
    void makeDevice(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("device.c"), DEVICE);
        StructLayoutTest.run(folder, "cc", "-shared", "-fPIC", "-o", "libdevice.so", "device.c");
        SymbolLookup library = SymbolLookup.libraryLookup(folder.resolve("libdevice.so"), arena);
        answer = Linker.nativeLinker()
                .downcallHandle(
                        library.findOrThrow("answer"),
                        FunctionDescriptor.ofVoid(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT));
        fail = Linker.nativeLinker()
                .downcallHandle(library.findOrThrow("fail"), FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
        DisniProvider.install();
        long context = arena.allocate(StructLayout.Context.BYTES, 8).address();
        RdmaCore.putLong(
                context + StructLayout.Context.POLL_CQ,
                library.findOrThrow("take").address());
        long at = arena.allocate(StructLayout.Queue.BYTES, 8).address();
        RdmaCore.putLong(at + StructLayout.Queue.CONTEXT, context);
        queue = new CompletionQueue(new DeviceContext(context), null, at);
    }

    private void answers(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            try {
                answer.invokeExact((1L << 62) + i, 10 + i, 100 + i, 200 + i);
            } catch (Throwable thrown) {
                throw new AssertionError(thrown);
            }
        }
    }

    @Test
    void completionsAreTakenInOrderUpToTheLimit() throws Exception {
        answers(5);
        try (WorkCompletions completions = new WorkCompletions(3)) {
            assertThat(completions.poll(queue, 2)).isEqualTo(2);
            assertThat(completions.id(1)).isEqualTo((1L << 62) + 1);
            assertThat(completions.status(1)).isEqualTo(11);
            assertThat(completions.receivedBytes(1)).isEqualTo(101);
            assertThat(completions.vendorError(1)).isEqualTo(201);
            assertThat(completions.poll(queue, 8)).isEqualTo(3);
            assertThat(completions.id(2)).isEqualTo((1L << 62) + 4);
            assertThat(completions.poll(queue, 8)).isZero();
            assertThat(completions.count()).isZero();
        }
    }

    @Test
    void aBrokenCompletionQueueIsAnErrorAndHasNoCompletions() throws Throwable {
        answers(1);
        try (WorkCompletions completions = new WorkCompletions(3)) {
            assertThat(completions.poll(queue, 3)).isEqualTo(1);
            fail.invokeExact(-1);
            assertThatThrownBy(() -> completions.poll(queue, 3))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("ibv_poll_cq failed");
            assertThat(completions.count()).isZero();
        }
    }

    @Test
    void disnisCompletionsAreFilledIn() throws Exception {
        answers(1);
        IbvWC[] completions = {new IbvWC(), new IbvWC()};
        PollCall call = new PollCall(queue, completions, 8); // more than there is room for
        assertThat(call.execute().getPolls()).isEqualTo(1);
        IbvWC first = completions[0];
        assertThat(first.getWr_id()).isEqualTo(1L << 62);
        assertThat(first.getStatus()).isEqualTo(10);
        assertThat(first.getOpcode()).isEqualTo(128);
        assertThat(first.getByte_len()).isEqualTo(100);
        assertThat(first.getVendor_err()).isEqualTo(200);
        assertThat(first.getQp_num()).isEqualTo(17);
        assertThat(first.getSrc_qp()).isEqualTo(18);
        assertThat(first.getWc_flags()).isEqualTo(3);
        assertThat(first.getPkey_index()).isEqualTo((short) 4);
        assertThat(first.getSlid()).isEqualTo((short) 5);
        assertThat(first.getSl()).isEqualTo((short) 6);
        assertThat(first.getDlid_path_bits()).isEqualTo((short) 7);
        call.free();
        assertThatThrownBy(call::execute).isInstanceOf(IOException.class);
    }
}

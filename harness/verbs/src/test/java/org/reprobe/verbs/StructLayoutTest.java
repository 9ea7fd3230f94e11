package org.reprobe.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

/** Sizes and offsets, compared with a C compiler's for rdma-core's headers. */
class StructLayoutTest {
    /** C expression for every constant of {@link StructLayout}. */
    private static final Map<String, Class<?>> STRUCTURES = new LinkedHashMap<>();

    private static final Map<String, String> FIELDS = new LinkedHashMap<>();

    static {
        structure(
                "ibv_send_wr",
                StructLayout.SendRequest.class,
                "ID wr_id NEXT next SG_LIST sg_list NUM_SGE num_sge OPCODE opcode FLAGS send_flags IMMEDIATE imm_data"
                        + " RDMA_ADDRESS wr.rdma.remote_addr RDMA_KEY wr.rdma.rkey ATOMIC_ADDRESS wr.atomic.remote_addr"
                        + " ATOMIC_COMPARE_ADD wr.atomic.compare_add ATOMIC_SWAP wr.atomic.swap ATOMIC_KEY"
                        + " wr.atomic.rkey");
        structure(
                "ibv_recv_wr", StructLayout.ReceiveRequest.class, "ID wr_id NEXT next SG_LIST sg_list NUM_SGE num_sge");
        structure("ibv_sge", StructLayout.Sge.class, "ADDRESS addr LENGTH length KEY lkey");
        structure(
                "ibv_wc",
                StructLayout.Completion.class,
                "ID wr_id STATUS status OPCODE opcode VENDOR_ERROR vendor_err BYTE_LENGTH byte_len IMMEDIATE imm_data"
                        + " QP_NUMBER qp_num SOURCE_QP src_qp FLAGS wc_flags PKEY_INDEX pkey_index SLID slid SL sl"
                        + " DLID_PATH_BITS dlid_path_bits");
        structure(
                "ibv_context",
                StructLayout.Context.class,
                "DEVICE device POLL_CQ ops.poll_cq REQUEST_NOTIFY ops.req_notify_cq POST_SEND ops.post_send POST_RECEIVE"
                        + " ops.post_recv COMMAND_FD cmd_fd COMPLETION_VECTORS num_comp_vectors");
        structure(
                "ibv_mr",
                StructLayout.Region.class,
                "CONTEXT context ADDRESS addr LENGTH length HANDLE handle LOCAL_KEY lkey REMOTE_KEY rkey");
        structure("ibv_pd", StructLayout.Domain.class, "CONTEXT context HANDLE handle");
        structure("ibv_comp_channel", StructLayout.CompletionEvents.class, "CONTEXT context FD fd");
        structure("ibv_cq", StructLayout.Queue.class, "CONTEXT context HANDLE handle ENTRIES cqe");
        structure("ibv_qp", StructLayout.Pair.class, "CONTEXT context HANDLE handle NUMBER qp_num STATE state");
        structure(
                "ibv_qp_init_attr",
                StructLayout.PairAttributes.class,
                "SEND_CQ send_cq RECEIVE_CQ recv_cq SRQ srq MAX_SEND cap.max_send_wr MAX_RECEIVE cap.max_recv_wr"
                        + " MAX_SEND_SGE cap.max_send_sge MAX_RECEIVE_SGE cap.max_recv_sge MAX_INLINE"
                        + " cap.max_inline_data TYPE qp_type SIGNAL_ALL sq_sig_all");
        structure("ibv_qp_attr", StructLayout.PairState.class, "MIN_RNR_TIMER min_rnr_timer");
        structure(
                "ibv_device_attr",
                StructLayout.Device.class,
                "FIRMWARE fw_ver MAX_REGION_BYTES max_mr_size MAX_PAIRS max_qp MAX_REQUESTS max_qp_wr MAX_COMPLETIONS"
                        + " max_cqe MAX_OUTSTANDING_READS_IN max_qp_rd_atom MAX_OUTSTANDING_READS_OUT"
                        + " max_qp_init_rd_atom ATOMICS atomic_cap");
        structure(
                "rdma_cm_id",
                StructLayout.Id.class,
                "CONTEXT verbs CHANNEL channel PAIR qp SOURCE route.addr.src_addr DESTINATION route.addr.dst_addr"
                        + " PORT_SPACE ps PORT port_num");
        structure(
                "rdma_cm_event",
                StructLayout.Event.class,
                "ID id LISTENER listen_id KIND event STATUS status PARAMETERS param.conn");
        structure(
                "rdma_conn_param",
                StructLayout.Parameters.class,
                "DATA private_data DATA_LENGTH private_data_len RESPONDER_RESOURCES responder_resources INITIATOR_DEPTH"
                        + " initiator_depth FLOW_CONTROL flow_control RETRIES retry_count RNR_RETRIES rnr_retry_count"
                        + " SRQ srq QP_NUMBER qp_num");
    }

    private static void structure(String name, Class<?> ours, String fields) {
        STRUCTURES.put(name, ours);
        String[] words = fields.split(" ");
        FIELDS.put(name + ".BYTES", "sizeof(struct " + name + ")");
        for (int i = 0; i < words.length; i += 2) {
            FIELDS.put(name + "." + words[i], "offsetof(struct " + name + ", " + words[i + 1] + ")");
        }
    }

    @Test
    @Needs(Need.C_COMPILER)
    void everyOffsetIsTheCompilers(@TempDir Path folder) throws Exception {
        StringBuilder program = new StringBuilder("""
                #include <infiniband/verbs.h>
                #include <rdma/rdma_cma.h>
                #include <stdio.h>
                #include <stddef.h>
                int main() {
                """);
        FIELDS.forEach(
                (ours, theirs) -> program.append("  printf(\"%s %%zu\\n\", (size_t) %s);%n".formatted(ours, theirs)));
        Files.writeString(folder.resolve("layout.c"), program.append("}\n"));
        run(folder, "cc", "-o", "layout", "layout.c");

        Map<String, Long> theirs = new LinkedHashMap<>();
        run(folder, "./layout").lines().forEach(line -> {
            String[] words = line.split(" ");
            theirs.put(words[0], Long.valueOf(words[1]));
        });

        assertThat(ours()).isEqualTo(theirs);
    }

    /** Values of all constants. */
    private static Map<String, Long> ours() throws IllegalAccessException {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Map.Entry<String, Class<?>> structure : STRUCTURES.entrySet()) {
            for (Field field : structure.getValue().getDeclaredFields()) {
                field.setAccessible(true);
                all.put(structure.getKey() + "." + field.getName(), field.getLong(null));
            }
        }
        assertThat(STRUCTURES.values()).containsExactlyInAnyOrder(StructLayout.class.getDeclaredClasses());
        return all;
    }

    static String run(Path folder, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}

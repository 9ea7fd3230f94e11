package org.reprobe.verbs;

/**
 * Sizes and offsets in bytes of rdma-core's structures on 64-bit Linux, as far as they are used:
 * {@code infiniband/verbs.h} and {@code rdma/rdma_cma.h}. {@code StructLayoutTest} compares them with a C compiler's.
 */
final class StructLayout {
    private StructLayout() {}

    /** {@code struct ibv_send_wr}. */
    static final class SendRequest {
        static final long BYTES = 128;
        static final long ID = 0;
        static final long NEXT = 8;
        static final long SG_LIST = 16;
        static final long NUM_SGE = 24;
        static final long OPCODE = 28;
        static final long FLAGS = 32;
        static final long IMMEDIATE = 36;
        static final long RDMA_ADDRESS = 40;
        static final long RDMA_KEY = 48;
        static final long ATOMIC_ADDRESS = 40;
        static final long ATOMIC_COMPARE_ADD = 48;
        static final long ATOMIC_SWAP = 56;
        static final long ATOMIC_KEY = 64;

        private SendRequest() {}
    }

    /** {@code struct ibv_recv_wr}. */
    static final class ReceiveRequest {
        static final long BYTES = 32;
        static final long ID = 0;
        static final long NEXT = 8;
        static final long SG_LIST = 16;
        static final long NUM_SGE = 24;

        private ReceiveRequest() {}
    }

    /** {@code struct ibv_sge}. */
    static final class Sge {
        static final long BYTES = 16;
        static final long ADDRESS = 0;
        static final long LENGTH = 8;
        static final long KEY = 12;

        private Sge() {}
    }

    /** {@code struct ibv_wc}. */
    static final class Completion {
        static final long BYTES = 48;
        static final long ID = 0;
        static final long STATUS = 8;
        static final long OPCODE = 12;
        static final long VENDOR_ERROR = 16;
        static final long BYTE_LENGTH = 20;
        static final long IMMEDIATE = 24;
        static final long QP_NUMBER = 28;
        static final long SOURCE_QP = 32;
        static final long FLAGS = 36;
        static final long PKEY_INDEX = 40;
        static final long SLID = 42;
        static final long SL = 44;
        static final long DLID_PATH_BITS = 45;

        private Completion() {}
    }

    /** {@code struct ibv_context}; the functions are members of its {@code ops}. */
    static final class Context {
        static final long BYTES = 328;
        static final long DEVICE = 0;
        static final long POLL_CQ = 96;
        static final long REQUEST_NOTIFY = 104;
        static final long POST_SEND = 208;
        static final long POST_RECEIVE = 216;
        static final long COMMAND_FD = 264;
        static final long COMPLETION_VECTORS = 272;

        private Context() {}
    }

    /** {@code struct ibv_mr}. */
    static final class Region {
        static final long BYTES = 48;
        static final long CONTEXT = 0;
        static final long ADDRESS = 16;
        static final long LENGTH = 24;
        static final long HANDLE = 32;
        static final long LOCAL_KEY = 36;
        static final long REMOTE_KEY = 40;

        private Region() {}
    }

    /** {@code struct ibv_pd}. */
    static final class Domain {
        static final long BYTES = 16;
        static final long CONTEXT = 0;
        static final long HANDLE = 8;

        private Domain() {}
    }

    /** {@code struct ibv_comp_channel}. */
    static final class CompletionEvents {
        static final long BYTES = 16;
        static final long CONTEXT = 0;
        static final long FD = 8;

        private CompletionEvents() {}
    }

    /** {@code struct ibv_cq}. */
    static final class Queue {
        static final long BYTES = 128;
        static final long CONTEXT = 0;
        static final long HANDLE = 24;
        static final long ENTRIES = 28;

        private Queue() {}
    }

    /** {@code struct ibv_qp}. */
    static final class Pair {
        static final long BYTES = 160;
        static final long CONTEXT = 0;
        static final long HANDLE = 48;
        static final long NUMBER = 52;
        static final long STATE = 56;

        private Pair() {}
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class PairAttributes {
        static final long BYTES = 64;
        static final long SEND_CQ = 8;
        static final long RECEIVE_CQ = 16;
        static final long SRQ = 24;
        static final long MAX_SEND = 32;
        static final long MAX_RECEIVE = 36;
        static final long MAX_SEND_SGE = 40;
        static final long MAX_RECEIVE_SGE = 44;
        static final long MAX_INLINE = 48;
        static final long TYPE = 52;
        static final long SIGNAL_ALL = 56;

        private PairAttributes() {}
    }

    /** {@code struct ibv_qp_attr}. */
    static final class PairState {
        static final long BYTES = 144;
        static final long MIN_RNR_TIMER = 128;

        private PairState() {}
    }

    /** {@code struct ibv_device_attr}. */
    static final class Device {
        static final long BYTES = 232;
        static final long FIRMWARE = 0;
        static final long MAX_REGION_BYTES = 80;
        static final long MAX_PAIRS = 108;
        static final long MAX_REQUESTS = 112;
        static final long MAX_COMPLETIONS = 132;
        static final long MAX_OUTSTANDING_READS_IN = 144;
        static final long MAX_OUTSTANDING_READS_OUT = 156;
        static final long ATOMICS = 164;

        private Device() {}
    }

    /** {@code struct rdma_cm_id}. */
    static final class Id {
        static final long BYTES = 416;
        static final long CONTEXT = 0;
        static final long CHANNEL = 8;
        static final long PAIR = 24;
        static final long SOURCE = 32;
        static final long DESTINATION = 160;
        static final long PORT_SPACE = 344;
        static final long PORT = 348;

        private Id() {}
    }

    /** {@code struct rdma_cm_event}. */
    static final class Event {
        static final long BYTES = 80;
        static final long ID = 0;
        static final long LISTENER = 8;
        static final long KIND = 16;
        static final long STATUS = 20;
        static final long PARAMETERS = 24;

        private Event() {}
    }

    /** {@code struct rdma_conn_param}. */
    static final class Parameters {
        static final long BYTES = 24;
        static final long DATA = 0;
        static final long DATA_LENGTH = 8;
        static final long RESPONDER_RESOURCES = 9;
        static final long INITIATOR_DEPTH = 10;
        static final long FLOW_CONTROL = 11;
        static final long RETRIES = 12;
        static final long RNR_RETRIES = 13;
        static final long SRQ = 14;
        static final long QP_NUMBER = 16;

        private Parameters() {}
    }
}

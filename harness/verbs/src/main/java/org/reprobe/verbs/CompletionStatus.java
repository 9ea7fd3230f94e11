package org.reprobe.verbs;

import java.util.List;

/** Status of a work request: {@code enum ibv_wc_status}, in its order, with the usual cause. */
public enum CompletionStatus {
    IBV_WC_SUCCESS("success"),
    IBV_WC_LOC_LEN_ERR("local length error: a message longer than its RECEIVE, or a request too long"),
    IBV_WC_LOC_QP_OP_ERR("local queue pair error: the request does not fit the queue pair"),
    IBV_WC_LOC_EEC_OP_ERR("local end-to-end context error"),
    IBV_WC_LOC_PROT_ERR(
            "local protection error: the local buffer lies outside its region, or the region is not writable"),
    IBV_WC_WR_FLUSH_ERR("flushed: an earlier error or a disconnection ended the queue pair"),
    IBV_WC_MW_BIND_ERR("memory window could not be bound"),
    IBV_WC_BAD_RESP_ERR("bad response: the other side sent an unexpected reply"),
    IBV_WC_LOC_ACCESS_ERR("local access error: the local region forbids it"),
    IBV_WC_REM_INV_REQ_ERR(
            "remote invalid request: the other side does not allow such a request, or has no space for it"),
    IBV_WC_REM_ACCESS_ERR("remote access error: wrong key, out of bounds, not permitted or not 8-byte aligned"),
    IBV_WC_REM_OP_ERR("remote operation error: the other side could not carry it out"),
    IBV_WC_RETRY_EXC_ERR(
            "no acknowledgement after all retries: the other side has failed, or the network loses packets (is flow control"
                    + " set up for RoCE?)"),
    IBV_WC_RNR_RETRY_EXC_ERR("the other side had no RECEIVE posted after all retries"),
    IBV_WC_LOC_RDD_VIOL_ERR("local reliable datagram domain violated"),
    IBV_WC_REM_INV_RD_REQ_ERR("remote invalid reliable datagram request"),
    IBV_WC_REM_ABORT_ERR("the other side aborted"),
    IBV_WC_INV_EECN_ERR("invalid end-to-end context number"),
    IBV_WC_INV_EEC_STATE_ERR("invalid end-to-end context state"),
    IBV_WC_FATAL_ERR("fatal error of the device: reset it or look at the kernel's log"),
    IBV_WC_RESP_TIMEOUT_ERR("no response in time"),
    IBV_WC_GENERAL_ERR("general error of the device");

    private static final List<CompletionStatus> ALL = List.of(values());
    private final String text;

    CompletionStatus(String words) {
        this.text = words;
    }

    public static CompletionStatus of(int number) {
        return number >= 0 && number < ALL.size() ? ALL.get(number) : IBV_WC_GENERAL_ERR;
    }

    /** Returns the meaning and the usual cause, without the verbs name. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return name() + " (" + text + ")";
    }
}

package org.reprobe.verbs;

import com.ibm.disni.verbs.RdmaConnParam;

/**
 * DiSNI's connection parameters, with settable depths and private data. Retries default to the maximum, 7; with DiSNI's
 * default of 0 a single lost packet breaks the connection.
 */
public final class ConnectionParameters extends RdmaConnParam {
    private static final byte MAX_RETRIES = 7;
    private byte[] privateData = {};

    /** Creates one side's parameters: the maximum READs and atomics in flight of this and the other side, 0 to 255. */
    public ConnectionParameters(int initiatorDepth, int responderResources) {
        if (initiatorDepth < 0 || initiatorDepth > 255 || responderResources < 0 || responderResources > 255) {
            throw new IllegalArgumentException(
                    "depths are 0 to 255, not " + initiatorDepth + " and " + responderResources);
        }
        this.initiator_depth = (byte) initiatorDepth;
        this.responder_resources = (byte) responderResources;
        this.retry_count = MAX_RETRIES;
        this.rnr_retry_count = MAX_RETRIES;
    }

    /** Sets private data of a connection's request or acceptance: at most 56 bytes, which arrive padded with zeros. */
    public ConnectionParameters withPrivateData(byte[] data) {
        if (data.length > 56) {
            throw new IllegalArgumentException("private data is at most 56 bytes, not " + data.length);
        }
        this.privateData = data.clone();
        return this;
    }

    /** Sets the number of retries of the requesting side, and of the accepting side with it: 0 to 7. */
    public ConnectionParameters withRetries(int count) {
        if (count < 0 || count > MAX_RETRIES) {
            throw new IllegalArgumentException("retries are 0 to " + MAX_RETRIES + ", not " + count);
        }
        this.retry_count = (byte) count;
        return this;
    }

    byte[] privateData() {
        return privateData;
    }
}

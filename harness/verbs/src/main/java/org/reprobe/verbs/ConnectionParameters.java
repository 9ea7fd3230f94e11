package org.reprobe.verbs;

import com.ibm.disni.verbs.RdmaConnParam;

/**
 * DiSNI's connection parameters with what it refuses to set: how many READs and atomics may be outstanding, and private data.
 * Retries default to 7, the most; with DiSNI's own default of 0 a single lost packet breaks the connection.
 */
public final class ConnectionParameters extends RdmaConnParam {
    private static final byte MAX_RETRIES = 7;
    private byte[] privateData = {};

    /**
     * Parameters of one side.
     *
     * @param initiatorDepth READs and atomics of this side that may be in flight, 0 to 255
     * @param responderResources those of the other side, 0 to 255
     */
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

    /**
     * Bytes for the other side's connection request or establishment.
     *
     * @param data at most 56 bytes at the side that connects; arrives with zeros behind it
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        if (data.length > 56) {
            throw new IllegalArgumentException("private data is at most 56 bytes, not " + data.length);
        }
        this.privateData = data.clone();
        return this;
    }

    byte[] privateData() {
        return privateData;
    }
}

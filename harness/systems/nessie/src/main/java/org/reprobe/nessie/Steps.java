package org.reprobe.nessie;

/** Counters of one Nessie client. */
public final class Steps {
    long retries;
    long migrations;
    long serverCalls;
    long refusals;

    Steps() {}

    /** Returns the number of attempts repeated because another client used the same places or items. */
    public long retries() {
        return retries;
    }

    public long migrations() {
        return migrations;
    }

    /** Returns the number of messages to the server because of no space, no free item, or a blocked operation. */
    public long serverCalls() {
        return serverCalls;
    }

    /** Returns the number of attempts refused because the server had revoked access. */
    public long refusals() {
        return refusals;
    }
}

package org.reprobe.nessie;

/** Counters of one client. */
public final class Steps {
    long retries;
    long migrations;
    long serverCalls;
    long refusals;

    Steps() {}

    /** Returns the attempts repeated because another client used the same places or items. */
    public long retries() {
        return retries;
    }

    public long migrations() {
        return migrations;
    }

    /** Returns the messages to the server: no space after a migration, no free item, or a stuck client. */
    public long serverCalls() {
        return serverCalls;
    }

    /** Returns the attempts rejected because the server had revoked access. */
    public long refusals() {
        return refusals;
    }
}

package org.reprobe.nessie;

/** What one client has counted. */
public final class Steps {
    long retries;
    long migrations;
    long failedMigrations;
    long serverCalls;
    long refusals;

    Steps() {}

    /** Attempts that were repeated, since another client worked on the same places or items. */
    public long retries() {
        return retries;
    }

    /** Keys moved to their other place. */
    public long migrations() {
        return migrations;
    }

    /** Migrations that ended without moving anything. */
    public long failedMigrations() {
        return failedMigrations;
    }

    /** Messages to the server's program: no migration had made room, no item was free, or somebody was stuck. */
    public long serverCalls() {
        return serverCalls;
    }

    /** Attempts that were refused, since the server had revoked access. */
    public long refusals() {
        return refusals;
    }
}

package org.reprobe.nessie;

/** What one client has counted. */
public final class Steps {
    long retries;
    long migrations;
    long failedMigrations;
    long serverCalls;

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

    /** Messages to the server, because no migration had made room. */
    public long serverCalls() {
        return serverCalls;
    }
}

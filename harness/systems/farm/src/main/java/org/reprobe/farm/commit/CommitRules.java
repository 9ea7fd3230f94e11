package org.reprobe.farm.commit;

/**
 * Variant of the commit of transactions over objects of several machines (FaRM 2014, section 3.4): messages to
 * replicas, PREPARE's lock, condition for objects that were only read, and moment from which the commit may be
 * reported.
 */
public record CommitRules(
        ReplicationMode replication, Locking locking, Validation validation, CommitAcknowledgement acknowledgement) {
    /** Strictly serializable with READs, as long as primaries alone may fail. */
    public static final CommitRules CORRECTED = new CommitRules(
            ReplicationMode.PREPARE_COMMIT,
            Locking.EXCLUSIVE,
            Validation.VERSIONS_AND_LOCKS,
            CommitAcknowledgement.LOGGED);

    /** Variant that the paper prints (section 3.4), which is not serializable. */
    public static final CommitRules PRINTED = CORRECTED.with(Validation.VERSIONS);

    /** Corrected, where machines of all kinds may fail and others take over (FaRM 2015, section 4). */
    public static final CommitRules RECOVERABLE = CORRECTED.with(CommitAcknowledgement.LOGGED_AND_WRITTEN);

    public enum Locking {
        /** READs do not accept locked objects. */
        EXCLUSIVE,
        /** Printed for transactions of one machine (section 3.4): READs accept locked objects until the commit. */
        READABLE
    }

    public enum Validation {
        /** The version is unchanged and the object is not locked. */
        VERSIONS_AND_LOCKS,
        /** Printed: "check if the versions read by the transaction are up to date". */
        VERSIONS
    }

    public enum CommitAcknowledgement {
        /** All replicas have logged it. */
        LOGGED,
        /** All replicas have logged it and a primary has written it (FaRM 2015, section 4, COMMIT-PRIMARY). */
        LOGGED_AND_WRITTEN
    }

    public CommitRules with(ReplicationMode other) {
        return new CommitRules(other, locking, validation, acknowledgement);
    }

    public CommitRules with(Locking other) {
        return new CommitRules(replication, other, validation, acknowledgement);
    }

    public CommitRules with(Validation other) {
        return new CommitRules(replication, locking, other, acknowledgement);
    }

    public CommitRules with(CommitAcknowledgement other) {
        return new CommitRules(replication, locking, validation, other);
    }
}

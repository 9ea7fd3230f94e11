package org.reprobe.farm.commit;

/** Messages by which replicas learn of a write. */
public enum ReplicationMode {
    /** One message, with what is written, when it commits. */
    COMMIT_ONLY,
    /** Printed (FaRM 2014, section 3.4): what would be written when it prepares, and a second message when it commits. */
    PREPARE_COMMIT
}

package org.reprobe.farm.commit;

/** Messages that replicate a write. */
public enum ReplicationMode {
    /** One message with the payload, at commit time. */
    COMMIT_ONLY,
    /** Printed (FaRM 2014, section 3.4): one message with the payload at PREPARE, another at commit. */
    PREPARE_COMMIT
}

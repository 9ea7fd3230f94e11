package org.reprobe.remote;

/** How an operation ended. */
public enum OperationResult {
    /** A read has found the key; a write or delete is over. */
    DONE,
    /** The key is not there. */
    ABSENT,
    /** Neither the client nor the server has found a place for the key; nothing has changed. */
    FULL,
    /** The client has tried too often: whether the operation has taken or will take effect is not known. */
    GAVE_UP
}

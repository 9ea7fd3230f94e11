package org.reprobe.remote;

public enum OperationResult {
    DONE,
    ABSENT,
    /** Neither the client nor the server found a slot for the key; nothing has changed. */
    FULL,
    /** The client has used up its attempts. The operation may have taken effect, or may still do so. */
    GAVE_UP
}

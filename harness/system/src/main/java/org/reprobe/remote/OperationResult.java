package org.reprobe.remote;

public enum OperationResult {
    DONE,
    ABSENT,
    /** Neither the client nor the server found a slot for the key; nothing has changed. */
    FULL,
    /** The client exceeded its attempts: the operation may have taken effect, or still may. */
    GAVE_UP
}

package org.reprobe.fabric;

/**
 * Failure of an operation because a machine has failed or is unreachable. The operation may have taken effect, may
 * still take effect, or may never do so. The client may reconnect and continue.
 */
public final class UnreachableException extends FabricException {
    public UnreachableException(String message) {
        super(message);
    }
}

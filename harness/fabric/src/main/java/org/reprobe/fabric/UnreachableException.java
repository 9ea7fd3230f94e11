package org.reprobe.fabric;

/**
 * Failed or unreachable machine. The operation may have taken effect, may still do so, or never will. A client that
 * reconnects may continue.
 */
public final class UnreachableException extends FabricException {
    private static final long serialVersionUID = 1L;

    public UnreachableException(String message) {
        super(message);
    }
}

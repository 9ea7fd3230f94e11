package org.reprobe.fabric.tcp;

/** Protocol violation by the peer. Ends the connection. */
final class MalformedFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedFrameException(String message) {
        super(message);
    }
}

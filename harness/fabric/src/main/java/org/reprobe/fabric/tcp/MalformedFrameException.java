package org.reprobe.fabric.tcp;

/** What came over a connection is not what its peer may say. Ends that connection. */
final class MalformedFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedFrameException(String message) {
        super(message);
    }
}

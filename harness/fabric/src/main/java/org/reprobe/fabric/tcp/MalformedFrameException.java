package org.reprobe.fabric.tcp;

/** Violation of the protocol by the peer, which ends the connection. */
final class MalformedFrameException extends Exception {
    MalformedFrameException(String message) {
        super(message);
    }
}

package org.reprobe.farm;

import org.reprobe.fabric.FabricException;

/** Others have taken this machine for failed: it is no member any more. */
final class EvictedException extends FabricException {
    private static final long serialVersionUID = 1L;

    EvictedException(String message) {
        super(message);
    }
}

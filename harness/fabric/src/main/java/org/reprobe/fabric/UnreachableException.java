package org.reprobe.fabric;

/**
 * Another machine has failed or can't be reached. An operation that ends so has taken effect, or has not, or still may: nobody can tell.
 * Who connects again may go on.
 */
public final class UnreachableException extends FabricException {
    private static final long serialVersionUID = 1L;

    public UnreachableException(String message) {
        super(message);
    }
}

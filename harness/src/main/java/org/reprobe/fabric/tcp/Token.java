package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.reprobe.fabric.FabricException;

/** 128 random bits, made for a run, that a connection shows first. Its text is in no message: {@link #toString} hides it. */
final class Token {
    static final int BYTES = 16;

    private final byte[] bytes;

    private Token(byte[] bytes) {
        this.bytes = bytes;
    }

    static Token random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Token(bytes);
    }

    static Token parse(String hex) throws FabricException {
        try {
            byte[] bytes = HexFormat.of().parseHex(hex);
            if (bytes.length == BYTES) {
                return new Token(bytes);
            }
        } catch (IllegalArgumentException e) {
            throw new FabricException("the token of the server's address is not one: it has 32 hexadecimal digits", e);
        }
        throw new FabricException("the token of the server's address is not one: it has 32 hexadecimal digits");
    }

    /** As {@link #parse} takes it: secret. */
    String secret() {
        return HexFormat.of().formatHex(bytes);
    }

    void put(MemorySegment memory, long offset) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, BYTES);
    }

    /** Takes equally long whatever is there. */
    boolean isAt(MemorySegment memory, long offset) {
        byte[] shown = new byte[BYTES];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, shown, 0, BYTES);
        return MessageDigest.isEqual(bytes, shown);
    }

    @Override
    public String toString() {
        return "(hidden)";
    }
}

package org.reprobe.trust;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Shared secret of two processes. {@link #toString} hides it from messages. */
public final class Secret {
    private static final int RANDOM_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String text;

    private Secret(String text) {
        this.text = text;
    }

    /** Generates 128 random bits, as 32 hexadecimal digits. */
    public static Secret random() {
        return new Secret(HexFormat.of().formatHex(randomBytes(RANDOM_BYTES)));
    }

    public static Secret of(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the secret is empty");
        }
        return new Secret(text);
    }

    static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Derives a secret per number; derived secrets do not reveal this one. */
    public Secret derived(int number) {
        return new Secret(HexFormat.of().formatHex(Handshake.hmac(bytes(), "process " + number)));
    }

    /** Returns the text of the secret, to be sent only to a trusted process. */
    public String text() {
        return text;
    }

    byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "(hidden)";
    }
}

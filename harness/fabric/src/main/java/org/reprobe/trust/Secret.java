package org.reprobe.trust;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/** What two processes prove to each other that they know. Its text is in no message: {@link #toString} hides it. */
public final class Secret {
    private static final int RANDOM_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String text;

    private Secret(String text) {
        this.text = text;
    }

    /** 128 random bits, as 32 hexadecimal digits. */
    public static Secret random() {
        return new Secret(HexFormat.of().formatHex(randomBytes(RANDOM_BYTES)));
    }

    /** One that somebody was given. */
    public static Secret of(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("an empty secret is none");
        }
        return new Secret(text);
    }

    static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Another one for each number, which tells nothing of this one. */
    public Secret derived(int number) {
        return new Secret(HexFormat.of().formatHex(Handshake.hmac(bytes(), "process " + number)));
    }

    /** For the other side alone. */
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

package org.reprobe.trust;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Mutual proofs of a shared secret that is never sent. Each end sends a fresh nonce, then the HMAC-SHA256 of both
 * nonces and its role. So a proof can't be replayed in another connection or sent back to its sender. The client proves
 * first, so an unauthenticated peer obtains nothing from a server. Later data is neither encrypted nor authenticated,
 * unless {@link #seal sealed}.
 */
public final class Handshake {
    public static final int NONCE_BYTES = 16;
    public static final int PROOF_BYTES = 32;

    private static final String HMAC = "HmacSHA256";
    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final byte[] clientProof;
    private final byte[] serverProof;
    private final byte[] sealing;

    public Handshake(Secret secret, byte[] clientNonce, byte[] serverNonce) {
        if (clientNonce.length != NONCE_BYTES || serverNonce.length != NONCE_BYTES) {
            throw new IllegalArgumentException("a nonce of another length");
        }
        this.clientProof = proof(secret, "client", clientNonce, serverNonce);
        this.serverProof = proof(secret, "server", clientNonce, serverNonce);
        this.sealing = proof(secret, "sealing", clientNonce, serverNonce);
    }

    /** Loads the required classes. Otherwise the first handshake on a busy host could exceed its time limit. */
    public static void warmUp() {
        new Handshake(Secret.random(), nonce(), nonce());
    }

    /** Returns a fresh nonce for single use. */
    public static byte[] nonce() {
        return Secret.randomBytes(NONCE_BYTES);
    }

    private static byte[] proof(Secret secret, String purpose, byte[] clientNonce, byte[] serverNonce) {
        return hmac(secret.bytes(), "reprobe " + purpose, clientNonce, serverNonce);
    }

    static byte[] hmac(byte[] key, String purpose, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            mac.update((purpose + "\n").getBytes(StandardCharsets.US_ASCII));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + HMAC, e);
        }
    }

    /**
     * Returns the client's first proof, which is sent with its nonce: an HMAC-SHA256 of the nonce alone. It can be
     * replayed, so it does not authenticate a connection. It only decides which connections are closed first when there
     * are too many.
     */
    public static byte[] firstProof(Secret secret, byte[] clientNonce) {
        return proof(secret, "first", clientNonce, new byte[0]);
    }

    public byte[] clientProof() {
        return clientProof.clone();
    }

    /** Returns the server's proof, to be sent after it has verified the client's. */
    public byte[] serverProof() {
        return serverProof.clone();
    }

    /** Verifies a proof in constant time. */
    public boolean isClientProof(byte[] shown) {
        return MessageDigest.isEqual(clientProof, shown);
    }

    /** Verifies a proof in constant time. */
    public boolean isServerProof(byte[] shown) {
        return MessageDigest.isEqual(serverProof, shown);
    }

    /** Encrypts a text for the other end. */
    public String seal(String text) {
        byte[] iv = Secret.randomBytes(IV_BYTES);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, iv, 0).doFinal(text.getBytes(StandardCharsets.UTF_8));
            byte[] both = new byte[IV_BYTES + sealed.length];
            System.arraycopy(iv, 0, both, 0, IV_BYTES);
            System.arraycopy(sealed, 0, both, IV_BYTES, sealed.length);
            return Base64.getEncoder().encodeToString(both);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has AES", e);
        }
    }

    /** Decrypts a text; throws an {@link IllegalArgumentException} if it was not sealed in this connection. */
    public String open(String sealed) {
        try {
            byte[] both = Base64.getDecoder().decode(sealed);
            if (both.length <= IV_BYTES) {
                throw new IllegalArgumentException("nothing is sealed");
            }
            byte[] text = cipher(Cipher.DECRYPT_MODE, both, 0).doFinal(both, IV_BYTES, both.length - IV_BYTES);
            return new String(text, StandardCharsets.UTF_8);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not sealed by the other end of this connection", e);
        }
    }

    private Cipher cipher(int mode, byte[] iv, int offset) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(sealing, "AES"), new GCMParameterSpec(TAG_BITS, iv, offset, IV_BYTES));
        return cipher;
    }
}

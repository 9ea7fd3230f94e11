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
 * Proofs that both ends of a connection know a secret, which itself never travels: each end says a fresh nonce, then the
 * HMAC-SHA256 of both nonces and of which end it is. A proof is worth nothing in another connection, nor sent back to its
 * maker. The client proves first, so that a stranger learns nothing from a server.
 *
 * <p>What is said afterwards is neither encrypted nor authenticated, but for what is {@link #seal sealed}.
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

    /** One connection's. */
    public Handshake(Secret secret, byte[] clientNonce, byte[] serverNonce) {
        if (clientNonce.length != NONCE_BYTES || serverNonce.length != NONCE_BYTES) {
            throw new IllegalArgumentException("a nonce of another length");
        }
        this.clientProof = proof(secret, "client", clientNonce, serverNonce);
        this.serverProof = proof(secret, "server", clientNonce, serverNonce);
        this.sealing = proof(secret, "sealing", clientNonce, serverNonce);
    }

    /** Has the platform load what a handshake needs: the first one takes longer than a busy host may have time for. */
    public static void warmUp() {
        new Handshake(Secret.random(), nonce(), nonce());
    }

    /** To be said once. */
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
     * The client's first proof, which goes with its nonce: an HMAC-SHA256 of the nonce alone. An eavesdropper can repeat it, so it
     * admits no connection: it decides only which one is closed first when there are too many.
     */
    public static byte[] firstProof(Secret secret, byte[] clientNonce) {
        return proof(secret, "first", clientNonce, new byte[0]);
    }

    /** The client's proof for both nonces. */
    public byte[] clientProof() {
        return clientProof.clone();
    }

    /** What the server says when it has seen the client's. */
    public byte[] serverProof() {
        return serverProof.clone();
    }

    /** Takes equally long whatever is shown. */
    public boolean isClientProof(byte[] shown) {
        return MessageDigest.isEqual(clientProof, shown);
    }

    /** Takes equally long whatever is shown. */
    public boolean isServerProof(byte[] shown) {
        return MessageDigest.isEqual(serverProof, shown);
    }

    /** A text as only the other end can read it. */
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

    /**
     * The text that the other end has sealed.
     *
     * @throws IllegalArgumentException when it has not, or not in this connection
     */
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

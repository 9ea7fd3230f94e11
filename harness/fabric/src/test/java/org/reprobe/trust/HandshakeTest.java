package org.reprobe.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class HandshakeTest {
    private static final long SEED = Seeds.seed();

    private final Secret secret = Secret.random();
    private final byte[] clientNonce = Handshake.nonce();
    private final byte[] serverNonce = Handshake.nonce();
    private final Handshake client = new Handshake(secret, clientNonce, serverNonce);

    @Test
    void onlyProofsOfTheSecretAreAccepted() {
        Handshake server = new Handshake(Secret.of(secret.text()), clientNonce, serverNonce);
        assertThat(server.isClientProof(client.clientProof())).isTrue();
        assertThat(client.isServerProof(server.serverProof())).isTrue();
        Handshake guessing = new Handshake(Secret.random(), clientNonce, serverNonce);
        assertThat(server.isClientProof(guessing.clientProof())).isFalse();
        assertThat(client.isServerProof(guessing.serverProof())).isFalse();
    }

    /** Expected values from Python's hmac. */
    @Test
    void proofsAreHmacSha256OfPurposeAndNonces() {
        byte[] nonce = new byte[Handshake.NONCE_BYTES];
        assertThat(HexFormat.of().formatHex(new Handshake(Secret.of("secret"), nonce, nonce).clientProof()))
                .isEqualTo("f5fe773199da70a4505649d9e9e9ce03172abceeec7d68c6227395b393ad5bee");
    }

    @Test
    void aProofIsWorthNothingBackToItsMakerNorInAnotherConnection() {
        assertThat(client.isServerProof(client.clientProof())).isFalse();
        assertThat(client.isClientProof(client.serverProof())).isFalse();
        Handshake another = new Handshake(secret, clientNonce, Handshake.nonce());
        assertThat(another.isClientProof(client.clientProof())).isFalse();
        assertThat(new Handshake(secret, serverNonce, clientNonce).isClientProof(client.clientProof()))
                .isFalse();
    }

    @Test
    void damagedProofsAreNone() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 2_000; i++) {
            byte[] proof = client.clientProof();
            if (random.nextInt(4) == 0) {
                proof = Arrays.copyOf(proof, random.nextInt(2 * proof.length));
                if (proof.length == Handshake.PROOF_BYTES) {
                    continue;
                }
            } else {
                proof[random.nextInt(proof.length)] ^= (byte) (1 << random.nextInt(8));
            }
            assertThat(client.isClientProof(proof))
                    .as("-Dreprobe.seed=%d", SEED)
                    .isFalse();
        }
    }

    @Test
    void onlyThePeerOpensUndamagedSealedMessages() {
        SplittableRandom random = new SplittableRandom(SEED);
        Handshake server = new Handshake(secret, clientNonce, serverNonce);
        String sealed = client.seal("10.0.0.7:7000#token");
        assertThat(sealed).doesNotContain("token").isNotEqualTo(client.seal("10.0.0.7:7000#token"));
        assertThat(server.open(sealed)).isEqualTo("10.0.0.7:7000#token");
        Handshake another = new Handshake(secret, clientNonce, Handshake.nonce());
        assertThatThrownBy(() -> another.open(sealed)).isInstanceOf(IllegalArgumentException.class);
        List<String> bad = new ArrayList<>(List.of("", "!", "AAAA", "A".repeat(16)));
        for (int i = 0; i < 200; i++) {
            byte[] bytes = Base64.getDecoder().decode(sealed);
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            bad.add(Base64.getEncoder().encodeToString(bytes));
        }
        for (String damaged : bad) {
            assertThatThrownBy(() -> server.open(damaged))
                    .as("-Dreprobe.seed=%d: %s", SEED, damaged)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void secretsAreHiddenAndDerivedOnesRevealNothing() {
        assertThat(secret.toString()).doesNotContain(secret.text());
        assertThat(secret.text()).matches("[0-9a-f]{32}");
        assertThat(secret.derived(1).text())
                .isNotEqualTo(secret.derived(2).text())
                .doesNotContain(secret.text());
    }
}

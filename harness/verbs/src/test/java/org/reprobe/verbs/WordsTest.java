package org.reprobe.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

/** Descriptions of errors, and native layout of addresses and connection parameters. */
@SuppressWarnings("restricted") // reads native memory
class WordsTest {
    @ParameterizedTest
    @CsvSource({"12, ENOMEM, ulimit -l", "-12, ENOMEM, ulimit -l", "13, EACCES, /dev/infiniband", "28, ENOSPC, queue"})
    void anErrorIsReportedByNameAndHintForEitherSign(int errno, String name, String hint) {
        VerbsException failed = new VerbsException("ibv_reg_mr", errno);
        assertThat(failed).hasMessageStartingWith("ibv_reg_mr failed: " + name).hasMessageContaining(hint);
        assertThat(failed.errno()).isEqualTo(Math.abs(errno));
        assertThat(failed.call()).isEqualTo("ibv_reg_mr");
    }

    @Test
    void anErrorWithoutANameIsReportedByItsNumber() {
        assertThat(VerbsException.text(4095)).isEqualTo("error 4095");
    }

    /** Some numbers of {@code enum ibv_wc_status}, from the header. */
    @ParameterizedTest
    @CsvSource({
        "0, IBV_WC_SUCCESS",
        "4, IBV_WC_LOC_PROT_ERR",
        "5, IBV_WC_WR_FLUSH_ERR",
        "9, IBV_WC_REM_INV_REQ_ERR",
        "10, IBV_WC_REM_ACCESS_ERR",
        "12, IBV_WC_RETRY_EXC_ERR",
        "13, IBV_WC_RNR_RETRY_EXC_ERR",
        "21, IBV_WC_GENERAL_ERR",
    })
    void aStatusHasItsVerbsNumberNameAndMeaning(int number, CompletionStatus expected) {
        assertThat(CompletionStatus.of(number)).isEqualTo(expected);
        assertThat(expected).hasToString(expected.name() + " (" + expected.text() + ")");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 22, Integer.MAX_VALUE})
    void aStatusOfALaterLibraryIsAGeneralError(int number) {
        assertThat(CompletionStatus.of(number)).isEqualTo(CompletionStatus.IBV_WC_GENERAL_ERR);
    }

    @ParameterizedTest
    @CsvSource({"10.7.0.1, 0", "192.0.2.77, 65535", "2001:db8::1234, 4791"})
    @Needs(Need.RDMA_CORE)
    void anAddressIsReadAsItWasWritten(String host, int port) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), port);
        try (Arena arena = Arena.ofConfined()) {
            assertThat(SocketAddresses.read(SocketAddresses.write(address, arena)))
                    .isEqualTo(address);
        }
    }

    /** {@code struct sockaddr_in}: the family in native order, port and address in network order. */
    @Test
    void anAddressOfFourBytesIsASockaddrIn() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            long at = SocketAddresses.write(new InetSocketAddress(InetAddress.getByName("10.7.0.1"), 0x1234), arena);
            assertThat(MemorySegment.ofAddress(at).reinterpret(8).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(new byte[] {2, 0, 0x12, 0x34, 10, 7, 0, 1});
        }
    }

    @Test
    void noAddressIsNullAndInvalidOnesAreRefused() {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> SocketAddresses.write(UnixDomainSocketAddress.of("/tmp/socket"), arena))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is an IP address");
            assertThatThrownBy(() ->
                            SocketAddresses.write(InetSocketAddress.createUnresolved("no.such.host.invalid", 1), arena))
                    .hasMessageContaining("no.such.host.invalid is unknown");
        }
    }

    @Test
    void connectionsRetryAsOftenAsTheyCan() throws Exception {
        ConnectionParameters parameters = new ConnectionParameters(255, 16);
        assertThat(parameters.getRetry_count()).isEqualTo((byte) 7);
        assertThat(parameters.getRnr_retry_count()).as("without end").isEqualTo((byte) 7);
        assertThat(Byte.toUnsignedInt(parameters.getInitiator_depth())).isEqualTo(255);
        assertThat(parameters.getResponder_resources()).isEqualTo((byte) 16);
    }

    @ParameterizedTest
    @CsvSource({"256, 0", "0, 256", "-1, 0", "0, -1"})
    void depthsBeyondAByteAreRefused(int initiator, int responder) {
        assertThatThrownBy(() -> new ConnectionParameters(initiator, responder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 255");
    }

    @Test
    void privateDataIsCopiedAndLimited() {
        byte[] data = new byte[56];
        ConnectionParameters parameters = new ConnectionParameters(1, 1).withPrivateData(data);
        Arrays.fill(data, (byte) 1);
        assertThat(parameters.privateData()).hasSize(56).containsOnly(0);
        assertThatThrownBy(() -> parameters.withPrivateData(new byte[57])).hasMessageContaining("at most 56 bytes");
    }
}

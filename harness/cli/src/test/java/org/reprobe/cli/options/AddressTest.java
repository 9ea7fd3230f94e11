package org.reprobe.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.run.zookeeper.ZooKeeperAddress;
import org.reprobe.trust.HostPort;
import picocli.CommandLine.TypeConversionException;

/** Addresses that are printed can be typed. */
class AddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "2001:db8::7", "fe80::1", "::ffff:10.0.0.7"})
    void printedSocketAddressesCanBeParsed(String host) throws Exception {
        InetSocketAddress socket = new InetSocketAddress(InetAddress.getByName(host), 7125);
        for (String printed : List.of(
                HostPort.text(socket),
                HostPort.text(socket.getAddress().getHostAddress(), 7125),
                HostPort.text(host, 7125))) {
            Address typed = new Address.Converter().convert(printed);
            assertThat(typed.socket()).isEqualTo(socket);
            assertThat(typed).hasToString(printed);
            assertThat(new ZooKeeperOption.Hosts().convert(printed)).isEqualTo(printed);
        }
    }

    @Test
    void anAddressWithItsInterfaceCanBeTyped() {
        assertThat(new Address.Converter().convert("[fe80::1%eth0]:7000").host())
                .isEqualTo("[fe80::1%eth0]");
    }

    @Test
    void withoutBracketsTheFormIsShown() {
        assertThatThrownBy(() -> new Address.Converter().convert("0:0:0:0:0:0:0:1:7125"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("[::1]:7000");
    }

    @Test
    void aZooKeeperIsReachedByIpv6FromElsewhere() {
        assertThat(ZooKeeperAddress.anew("127.0.0.1:2181").from("2001:db8::7").hosts())
                .isEqualTo("[2001:db8::7]:2181");
    }
}

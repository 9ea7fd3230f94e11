package org.reprobe.cli.options;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.trust.HostPort;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

public record Address(String host, int port) {
    private static final Pattern FORM =
            Pattern.compile("(\\[[0-9a-fA-F:.]+(?:%[A-Za-z0-9_.-]+)?\\]|[^:#\\s]+):(\\d{1,5})(#.*)?");

    public static final class Converter implements ITypeConverter<Address> {
        @Override
        public Address convert(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches() || Integer.parseInt(form.group(2)) > 65_535) {
                throw new TypeConversionException("must be host:port, like 10.0.0.7:7000 or [::1]:7000");
            }
            if (form.group(3) != null) {
                throw new TypeConversionException(
                        "contains a token, which every user of this host can read: pass it by --token-file or on"
                                + " standard input");
            }
            return new Address(form.group(1), Integer.parseInt(form.group(2)));
        }
    }

    /** Converter of an address to listen at, which is passed on to clients. */
    public static final class ToListen implements ITypeConverter<InetSocketAddress> {
        @Override
        public InetSocketAddress convert(String text) {
            InetSocketAddress socket = new Converter().convert(text).socket();
            if (socket.isUnresolved()) {
                throw new TypeConversionException("unknown host");
            }
            if (socket.getAddress().isAnyLocalAddress()) {
                throw new TypeConversionException("must be one address of this host: clients connect to it");
            }
            return socket;
        }
    }

    InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return HostPort.text(host, port);
    }
}

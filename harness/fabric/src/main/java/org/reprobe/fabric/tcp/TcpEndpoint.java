package org.reprobe.fabric.tcp;

import java.net.InetSocketAddress;
import java.util.regex.Pattern;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/** Address of a server. Its text is {@code host:port#token}; for IPv6 {@code [host]:port#token}. */
record TcpEndpoint(String host, int port, Secret token) {
    private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{32}");

    static TcpEndpoint parse(String text) throws FabricException {
        int hash = text.lastIndexOf('#');
        int colon = text.lastIndexOf(':', hash);
        if (hash < 0 || colon < 1) {
            throw new FabricException("the server's address is not of the form host:port#token");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        String port = text.substring(colon + 1, hash);
        try {
            int number = Integer.parseInt(port);
            if (number >= 1 && number <= 65535) {
                return new TcpEndpoint(host, number, token(text.substring(hash + 1)));
            }
        } catch (NumberFormatException e) {
            throw new FabricException("the port of the server's address, " + port + ", is not a number", e);
        }
        throw new FabricException("the port of the server's address, " + port + ", is out of range: 1 to 65535");
    }

    private static Secret token(String text) throws FabricException {
        if (!TOKEN.matcher(text).matches()) {
            throw new FabricException(
                    "the token of the server's address is malformed: it must have 32 hexadecimal digits");
        }
        return Secret.of(text);
    }

    String secret() {
        return place() + "#" + token.text();
    }

    String place() {
        return HostPort.text(host, port);
    }

    InetSocketAddress resolve() throws FabricException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new FabricException("unknown host of the server: " + host);
        }
        return address;
    }
}

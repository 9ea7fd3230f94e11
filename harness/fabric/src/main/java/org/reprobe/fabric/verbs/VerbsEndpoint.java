package org.reprobe.fabric.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.fabric.FabricException;

/** Address of a server; {@code rdmaPort} is the connection manager's, {@code token} a secret that clients send. */
record VerbsEndpoint(InetAddress address, int rdmaPort, int controlPort, long token) {
    private static final Pattern FORM = Pattern.compile("verbs:(.+)/(\\d{1,5})/(\\d{1,5})/([0-9a-f]{16})");

    static VerbsEndpoint parse(String text) throws FabricException {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new FabricException(
                    "\"" + text
                            + "\" is no endpoint of a verbs server: it is verbs:ADDRESS/RDMA-PORT/TCP-PORT/TOKEN, as the server prints it");
        }
        try {
            return new VerbsEndpoint(
                    InetAddress.getByName(form.group(1)),
                    Integer.parseInt(form.group(2)),
                    Integer.parseInt(form.group(3)),
                    Long.parseUnsignedLong(form.group(4), 16));
        } catch (UnknownHostException e) {
            throw new FabricException("unknown host of the server: " + form.group(1), e);
        }
    }

    InetSocketAddress rdma() {
        return new InetSocketAddress(address, rdmaPort);
    }

    InetSocketAddress control() {
        return new InetSocketAddress(address, controlPort);
    }

    String peer() {
        return "the server at " + address.getHostAddress();
    }

    @Override
    public String toString() {
        return "verbs:%s/%d/%d/%016x".formatted(address.getHostAddress(), rdmaPort, controlPort, token);
    }
}

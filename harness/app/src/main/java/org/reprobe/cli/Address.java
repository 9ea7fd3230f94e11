package org.reprobe.cli;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;

/** An address as one types it: {@code host:port}. */
record Address(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(\\[[0-9a-fA-F:.]+\\]|[^:#\\s]+):(\\d{1,5})(#.*)?");

    /** Reads an address; null when it is none, with a problem for the option that named it. */
    static @Nullable Address of(String option, String text, List<Problem> problems) {
        Matcher form = FORM.matcher(text);
        if (form.matches() && Integer.parseInt(form.group(2)) <= 65_535) {
            if (form.group(3) != null) {
                problems.add(Problem.of(
                        option + " " + form.group(1) + ":" + form.group(2),
                        "has a token behind it, which every user of this host can see: give it by --token-file or on"
                                + " standard input"));
            }
            return new Address(form.group(1), Integer.parseInt(form.group(2)));
        }
        problems.add(Problem.of(option + " " + text, "must be host:port, like 10.0.0.7:7000"));
        return null;
    }

    /** Reads an address to listen at, which others are told; null when it is none, with a problem. */
    static @Nullable InetSocketAddress toListen(String option, String text, List<Problem> problems) {
        Address address = of(option, text, problems);
        if (address == null) {
            return null;
        }
        InetSocketAddress socket = address.socket();
        if (socket.isUnresolved()) {
            problems.add(Problem.of(option + " " + text, "no host has that name"));
        } else if (socket.getAddress().isAnyLocalAddress()) {
            problems.add(Problem.of(option + " " + text, "must be one address of this host, which clients are told"));
        }
        return socket;
    }

    /** The same as a socket's. */
    InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }
}

package org.reprobe.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** {@code struct sockaddr_in} and {@code sockaddr_in6}. */
final class SocketAddresses {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    static long write(SocketAddress address, Arena arena) throws IOException {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new IOException("an RDMA address is an IP address, not " + address);
        }
        InetAddress host = inet.getAddress();
        if (host == null) {
            throw new IOException("the host name " + inet.getHostString() + " is unknown");
        }
        MemorySegment to = arena.allocate(32, 8);
        boolean six = host instanceof Inet6Address;
        to.set(ValueLayout.JAVA_SHORT, 0, six ? AF_INET6 : AF_INET);
        to.set(PORT, 2, (short) inet.getPort());
        byte[] bytes = host.getAddress();
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, six ? 8 : 4, bytes.length);
        if (host instanceof Inet6Address scoped) {
            to.set(ValueLayout.JAVA_INT, 24, scoped.getScopeId());
        }
        return to.address();
    }

    /** Returns null for an empty address. */
    static @Nullable SocketAddress read(long from) throws IOException {
        short family = RdmaCore.getShort(from);
        int port = Short.toUnsignedInt(Short.reverseBytes(RdmaCore.getShort(from + 2)));
        return switch (family) {
            case AF_INET -> new InetSocketAddress(InetAddress.getByAddress(RdmaCore.bytes(from + 4, 4)), port);
            case AF_INET6 -> new InetSocketAddress(InetAddress.getByAddress(RdmaCore.bytes(from + 8, 16)), port);
            default -> null;
        };
    }
}

package org.reprobe.fabric.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

public enum Transport {
    /** Linux: one system call each to wait, to read and to write. */
    EPOLL,
    /** Linux 5.9 and later, where permitted: system calls are submitted through a ring. */
    IO_URING,
    /** The JDK's selector, available on all systems. */
    NIO;

    public boolean available() {
        return switch (this) {
            case EPOLL -> Epoll.isAvailable();
            case IO_URING -> IoUring.isAvailable();
            case NIO -> true;
        };
    }

    /** Returns the first available of epoll, io_uring and NIO: the order of speed with a connection per thread. */
    public static Transport best() {
        for (Transport transport : List.of(EPOLL, IO_URING)) {
            if (transport.available()) {
                return transport;
            }
        }
        return NIO;
    }

    IoHandlerFactory factory() {
        return switch (this) {
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }

    Class<? extends Channel> channel() {
        return switch (this) {
            case EPOLL -> EpollSocketChannel.class;
            case IO_URING -> IoUringSocketChannel.class;
            case NIO -> NioSocketChannel.class;
        };
    }

    Class<? extends ServerChannel> serverChannel() {
        return switch (this) {
            case EPOLL -> EpollServerSocketChannel.class;
            case IO_URING -> IoUringServerSocketChannel.class;
            case NIO -> NioServerSocketChannel.class;
        };
    }

    /** Returns the channel option for the time limit of unacknowledged bytes, in ms; null if there is none. */
    @Nullable
    ChannelOption<Integer> userTimeout() {
        return switch (this) {
            case EPOLL -> EpollChannelOption.TCP_USER_TIMEOUT;
            case IO_URING -> IoUringChannelOption.TCP_USER_TIMEOUT;
            case NIO -> null;
        };
    }
}

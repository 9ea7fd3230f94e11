package org.reprobe.fabric;

/** How a server's program reaches other servers. */
@FunctionalInterface
public interface Peers {
    /** Of a server that was told of no others. */
    Peers NONE = () -> {
        throw new FabricException("this server's program was not told of other servers");
    };

    /** What a server program asks others by: no client, so that its end is not waited for. */
    interface Peer extends Requester, AutoCloseable {
        @Override
        void close();
    }

    /** Joins the run that is on. On the program's thread, to which what comes of it belongs. */
    Peer join() throws FabricException, InterruptedException;
}

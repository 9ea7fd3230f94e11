package org.reprobe.fabric;

/** How a server's program reaches other servers. */
public interface Peers {
    /** Of a server that was told of no others. */
    Peers NONE = new Peers() {
        @Override
        public int own() {
            return Servers.NONE;
        }

        @Override
        public Peer join() throws FabricException {
            throw new FabricException("this server's program was not told of other servers");
        }
    };

    /** Peers by the clients' half of a fabric that is in this process. */
    static Peers of(FabricClients clients, int own) {
        return new Peers() {
            @Override
            public int own() {
                return own;
            }

            @Override
            public Peer join() throws FabricException, InterruptedException {
                return clients.join(own);
            }
        };
    }

    /** The number of the server itself; {@link Servers#NONE} where it is not known. */
    int own();

    /** What a server program asks others by: no client, so that its end is not waited for. */
    interface Peer extends Requester, AutoCloseable {
        @Override
        void close();
    }

    /** Joins the run that is on. On the program's thread, to which what comes of it belongs. */
    Peer join() throws FabricException, InterruptedException;
}

package org.reprobe.fabric;

/** Access of a server program to other servers. */
public interface Peers {
    Peers NONE = new Peers() {
        @Override
        public int own() {
            return Servers.NONE;
        }

        @Override
        public Peer join() throws FabricException {
            throw new FabricException("this server program has no access to other servers");
        }
    };

    /** Peers reached through the client side of a fabric in this process. */
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

    /** Returns the number of this server; {@link Servers#NONE} if unknown. */
    int own();

    /** Requester of a server program. It is not a client, so a run does not wait for its end. */
    interface Peer extends Requester, AutoCloseable {
        @Override
        void close();
    }

    /** Joins the current run. Must be called on the program's thread; the result is confined to it. */
    Peer join() throws FabricException, InterruptedException;
}

package org.reprobe.fabric.sim;

/**
 * Which machines servers and clients are on. What is on one machine shares its card, and its memory where that has a price.
 * Machines are numbered: servers' first, then clients' where they are machines of their own.
 *
 * @param serverMachines at least 1
 * @param serversPerMachine servers of one machine, at least 1: a server's program is one thread. Numbers run on from one thread of a machine
 *     to its next
 * @param clientMachines machines that clients alone are on, dealt out to them in turn; 0 for clients on the servers' machines
 */
public record Placement(int serverMachines, int serversPerMachine, int clientMachines) {

    public Placement {
        if (serverMachines < 1 || serversPerMachine < 1 || clientMachines < 0) {
            throw new IllegalArgumentException("no such placement: " + serverMachines + " machines of "
                    + serversPerMachine + " servers, " + clientMachines + " of clients");
        }
    }

    /** A server, and clients on machines of their own. */
    public static Placement apart(int clientMachines) {
        if (clientMachines < 1) {
            throw new IllegalArgumentException("no machine for clients");
        }
        return new Placement(1, 1, clientMachines);
    }

    /** Machines with a server each, on which the clients are, too: client i on machine i mod {@code machines}. */
    public static Placement together(int machines) {
        return new Placement(machines, 1, 0);
    }

    /** All of them. */
    int machines() {
        return serverMachines + clientMachines;
    }

    int servers() {
        return serverMachines * serversPerMachine;
    }

    int machineOfServer(int server) {
        return server / serversPerMachine;
    }

    int machineOfClient(int client) {
        return clientMachines == 0 ? client % serverMachines : serverMachines + client % clientMachines;
    }
}

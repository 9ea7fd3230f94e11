package org.reprobe.fabric.sim;

/**
 * Placement of servers and clients on machines. A machine's processes share its card and, where that has a cost, its
 * memory. Machines are numbered servers first, then separate client machines.
 *
 * @param serverMachines at least 1
 * @param serversPerMachine servers per machine, at least 1; a server program is one thread. Servers are numbered
 *     machine by machine
 * @param clientMachines machines with clients only, to which threads are assigned round-robin; 0 for clients on the
 *     servers' machines
 * @param coroutines clients per thread, which have consecutive numbers and share its CPU; 1 for clients that are
 *     threads
 */
public record Placement(int serverMachines, int serversPerMachine, int clientMachines, int coroutines) {

    public Placement {
        if (serverMachines < 1 || serversPerMachine < 1 || clientMachines < 0 || coroutines < 1) {
            throw new IllegalArgumentException("invalid placement: " + serverMachines + " machines of "
                    + serversPerMachine + " servers, " + clientMachines + " of clients with " + coroutines
                    + " coroutines per thread");
        }
    }

    public Placement(int serverMachines, int serversPerMachine, int clientMachines) {
        this(serverMachines, serversPerMachine, clientMachines, 1);
    }

    /** Returns the placement of one server, with clients on separate machines. */
    public static Placement apart(int clientMachines) {
        if (clientMachines < 1) {
            throw new IllegalArgumentException("no machine for clients");
        }
        return new Placement(1, 1, clientMachines);
    }

    /** Returns the placement of one server per machine, with client i on machine i mod {@code machines}. */
    public static Placement together(int machines) {
        return new Placement(machines, 1, 0);
    }

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
        int thread = client / coroutines;
        return clientMachines == 0 ? thread % serverMachines : serverMachines + thread % clientMachines;
    }
}

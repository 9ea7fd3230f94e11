package org.reprobe.fabric.sim;

/**
 * Placement of servers and clients on machines. A machine's processes share its card and, where that has a cost, its
 * memory. Machines are numbered servers first, then separate client machines.
 *
 * @param serverMachines at least 1
 * @param serversPerMachine servers per machine, at least 1; a server program is one thread. Servers are numbered
 *     machine by machine
 * @param clientMachines machines with clients only, to which clients are assigned round-robin; 0 for clients on the
 *     servers' machines
 */
public record Placement(int serverMachines, int serversPerMachine, int clientMachines) {

    public Placement {
        if (serverMachines < 1 || serversPerMachine < 1 || clientMachines < 0) {
            throw new IllegalArgumentException("invalid placement: " + serverMachines + " machines of "
                    + serversPerMachine + " servers, " + clientMachines + " of clients");
        }
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
        return clientMachines == 0 ? client % serverMachines : serverMachines + client % clientMachines;
    }
}

package org.reprobe.run.process;

import java.io.IOException;
import java.util.List;
import org.reprobe.system.Settings;

/** Where a worker process runs, and how it is started there. */
sealed interface WorkerHost {

    /** This host. */
    record Here() implements WorkerHost {}

    /** Another host, over ssh. */
    record Ssh(String name) implements WorkerHost {}

    /** A node of the Slurm job that this process runs in, as a step of that job. */
    record Step(SlurmNodes.Node node) implements WorkerHost {}

    /** All hosts of a cell. */
    interface Hosts {
        WorkerHost server();

        WorkerHost client(int machine);
    }

    /**
     * Where the processes of a cell run.
     *
     * @param servers whether there is a server that is not a machine of clients as well
     * @throws IOException when they are nodes of a Slurm job and there is none; in words
     */
    static Hosts of(Settings.Hosts hosts, boolean servers) throws IOException, InterruptedException {
        boolean apart = servers && hosts.server().equals(Settings.SLURM);
        SlurmNodes nodes =
                apart || hosts.clients().contains(Settings.SLURM) ? SlurmNodes.here() : new SlurmNodes(List.of());
        return new Hosts() {
            @Override
            public WorkerHost server() {
                return apart ? new Step(nodes.server()) : named(hosts.server());
            }

            @Override
            public WorkerHost client(int machine) {
                String name = hosts.clients().get(machine % hosts.clients().size());
                return name.equals(Settings.SLURM) ? new Step(nodes.client(machine, apart)) : named(name);
            }
        };
    }

    private static WorkerHost named(String name) {
        return name.equals(Settings.HERE) ? new Here() : new Ssh(name);
    }
}

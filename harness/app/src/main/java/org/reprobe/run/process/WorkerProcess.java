package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Settings;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/** A worker process as its coordinator sees it: launched here by the JVM that runs this one, elsewhere by ssh, or by hand. */
final class WorkerProcess {
    /** The exit code of ssh itself; a remote command's other codes it passes on. */
    private static final int SSH_FAILED = 255;

    private static final long END_MS = 1_000;

    private final String name;
    private final Secret secret;
    private final boolean remote;
    /** Null for one that somebody starts by hand. */
    private final @Nullable ChildProcess process;

    private final long startNs = System.nanoTime();
    /** Where it writes a recording of each run; null for nowhere. */
    private final @Nullable Path recording;

    private volatile @Nullable MessageConnection connection;

    private WorkerProcess(
            String name, Secret secret, boolean remote, @Nullable ChildProcess process, @Nullable Path recording) {
        this.name = name;
        this.secret = secret;
        this.remote = remote;
        this.process = process;
        this.recording = recording;
    }

    /** One that somebody starts by hand. */
    static WorkerProcess byHand(String name, Secret secret) {
        return new WorkerProcess(name, secret, false, null, null);
    }

    /**
     * Launches a process that connects back.
     *
     * @param host where
     * @param at where this process listens, as others on this host reach it
     * @param secret it goes in by standard input, since others can see a command line
     * @param home the program's folder, on every host
     * @param arguments more of its command line
     * @param recording where it is to write a recording of each run, when it is on this host; null for nowhere
     */
    static WorkerProcess launch(
            String name,
            Host host,
            InetSocketAddress at,
            Secret secret,
            Path home,
            List<String> arguments,
            @Nullable Path recording)
            throws IOException {
        ChildProcess process = ChildProcess.start(host.command(at, home, arguments, recording), secret.text() + "\n");
        boolean here = host instanceof Host.Here;
        return new WorkerProcess(
                name + (here ? "" : " on " + host.name()),
                secret,
                host instanceof Host.Ssh,
                process,
                here ? recording : null);
    }

    /** Host of a worker process, with the command that starts the process there. */
    sealed interface Host {
        String name();

        /** Returns the command line of a worker process; for parameters see {@link #launch}. */
        List<String> command(InetSocketAddress at, Path home, List<String> arguments, @Nullable Path recording);

        /** This host. */
        record Here() implements Host {
            @Override
            public String name() {
                return Settings.HERE;
            }

            @Override
            public List<String> command(
                    InetSocketAddress at, Path home, List<String> arguments, @Nullable Path recording) {
                if (recording == null) {
                    return worker(OwnJvm.command(home), HostPort.text(at), arguments);
                }
                Path unwritten = recording.resolveSibling(recording.getFileName() + ".unwritten");
                List<String> command = worker(
                        OwnJvm.recorded(home, unwritten),
                        HostPort.text(at),
                        List.of("--recording", recording.toString()));
                command.addAll(arguments);
                return command;
            }
        }

        /** Another host, over ssh, which has the program and a project where this host has them. */
        record Ssh(String name) implements Host {
            /** The other host finds the address of this one in SSH_CONNECTION. */
            @Override
            public List<String> command(
                    InetSocketAddress at, Path home, List<String> arguments, @Nullable Path recording) {
                StringBuilder remote = new StringBuilder("cd " + ShellWord.quoted(home.toString())
                        + " && exec ./run.sh worker --connect ssh:" + at.getPort());
                arguments.forEach(argument -> remote.append(' ').append(ShellWord.quoted(argument)));
                String project = System.getProperty("reprobe.project", "");
                if (!project.isEmpty()) {
                    remote.append(" --project ").append(ShellWord.quoted(project));
                }
                String ssh = System.getProperty("reprobe.ssh", "ssh");
                return List.of(ssh, "-o", "BatchMode=yes", "--", name, remote.toString());
            }
        }

        /** A node of the Slurm job that this process runs in, as a step of that job, which shares its CPUs and memory. */
        record Step(SlurmNodes.Node node) implements Host {
            @Override
            public String name() {
                return node.name();
            }

            /** The node finds the address of this one in SLURM_LAUNCH_NODE_IPADDR. */
            @Override
            public List<String> command(
                    InetSocketAddress at, Path home, List<String> arguments, @Nullable Path recording) {
                List<String> command = new ArrayList<>(List.of(
                        "srun",
                        "--quiet",
                        "--overlap",
                        "--nodes=1",
                        "--ntasks=1",
                        "--export=ALL", // also where the job was submitted with another, which steps inherit
                        "--cpus-per-task=" + node.cpus(),
                        "--mem=0",
                        "--nodelist=" + node.name(),
                        "--chdir=" + home));
                command.addAll(OwnJvm.command(home));
                return worker(command, "srun:" + at.getPort(), arguments);
            }
        }

        private static List<String> worker(List<String> command, String at, List<String> arguments) {
            command.addAll(List.of("worker", "--connect", at));
            command.addAll(arguments);
            return command;
        }
    }

    /**
     * Hosts of a cell's processes.
     *
     * @param nodes of the Slurm job that this process runs in; none where no host is one of them
     * @param apart true for a server with a node for itself
     */
    record Hosts(Settings.Hosts hosts, SlurmNodes nodes, boolean apart) {
        /**
         * Finds them.
         *
         * @param servers true if there is a server that is not a machine of clients as well
         * @throws IOException when they are nodes of a Slurm job and there is none; in words
         */
        static Hosts of(Settings.Hosts hosts, boolean servers) throws IOException, InterruptedException {
            boolean apart = servers && hosts.server().equals(Settings.SLURM);
            boolean slurm = apart || hosts.clients().contains(Settings.SLURM);
            return new Hosts(hosts, slurm ? SlurmNodes.here() : new SlurmNodes(List.of()), apart);
        }

        Host server() {
            return apart ? new Host.Step(nodes.server()) : named(hosts.server());
        }

        Host client(int machine) {
            String name = hosts.clients().get(machine % hosts.clients().size());
            return name.equals(Settings.SLURM) ? new Host.Step(nodes.client(machine, apart)) : named(name);
        }

        private static Host named(String name) {
            return name.equals(Settings.HERE) ? new Host.Here() : new Host.Ssh(name);
        }
    }

    String name() {
        return name;
    }

    /** Where it writes a recording of each run; null for nowhere. */
    @Nullable
    Path recording() {
        return recording;
    }

    Secret secret() {
        return secret;
    }

    /** Time since it was launched, or waited for. */
    long ageMs() {
        return (System.nanoTime() - startNs) / 1_000_000;
    }

    boolean isByHand() {
        return process == null;
    }

    /** Whether it was launched from here and has ended. */
    boolean hasEnded() {
        return process != null && !process.isAlive();
    }

    boolean isConnected() {
        return connection != null;
    }

    void connected(MessageConnection made) {
        connection = made;
    }

    MessageConnection connection() {
        MessageConnection there = connection;
        if (there == null) {
            throw new IllegalStateException(name + " has not connected");
        }
        return there;
    }

    /** A text that another process has sealed, sealed for this one: only the two ends of a connection can read it. */
    String sealAgain(String sealed, WorkerProcess from) throws IOException {
        return connection().seal(from.connection().open(sealed));
    }

    /**
     * Sends a message.
     *
     * @throws IOException when it has ended or can't be reached; in words
     */
    void send(Message message) throws IOException {
        try {
            connection().send(message);
        } catch (SocketException e) {
            throw new IOException(
                    "the connection to " + name + " was lost", e); // the system's own words are "Broken pipe"
        }
    }

    /** A clause on how it has ended, after a blank; empty where that is not known. Its connection may end a moment before it does. */
    String howItEnded() throws InterruptedException {
        if (process == null || !process.waitFor(END_MS)) {
            return "";
        }
        int code = process.exitCode();
        String how = remote && code == SSH_FAILED
                ? "ssh lost it"
                : code > 128 ? "killed by signal " + (code - 128) : "exit code " + code;
        List<String> words = process.lastLines();
        return " (" + how + (words.isEmpty() ? "" : ": " + words.getLast().strip()) + ")";
    }

    /** Kills it as {@code kill -9} does, and waits for its end. */
    void kill() throws InterruptedException {
        if (process != null) {
            process.kill();
            process.waitFor();
        }
    }

    /** Stops it; one of this host's. */
    void stop() throws IOException, InterruptedException {
        if (process != null) {
            process.stop();
        }
    }

    /** Has it go on. */
    void goOn() throws IOException, InterruptedException {
        if (process != null) {
            process.goOn();
        }
    }

    /** Tells it to end. */
    void end(String why) {
        MessageConnection there = connection;
        if (there != null) {
            try {
                there.send(new Message.End(why));
            } catch (IOException e) {
                // It has ended already.
            }
        }
    }

    /** Closes the connection, after the process has ended, which is killed if it does not until then. */
    void close(long deadlineNs) {
        if (process != null) {
            try {
                if (!process.waitFor(Math.max(0, (deadlineNs - System.nanoTime()) / 1_000_000))) {
                    process.kill();
                    process.waitFor(END_MS); // what it leaves is deleted when it has ended
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                process.kill();
            }
        }
        MessageConnection there = connection;
        if (there != null) {
            there.close();
        }
    }
}

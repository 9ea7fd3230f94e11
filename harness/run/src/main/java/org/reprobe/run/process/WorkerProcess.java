package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Run;
import org.reprobe.system.Settings;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/** Coordinator's view of a worker process: launched here with the JVM of this one, elsewhere by ssh, or by hand. */
final class WorkerProcess {
    /** Exit code of ssh itself; it passes on other codes of a remote command. */
    private static final int SSH_FAILED = 255;

    private static final long END_MS = 1_000;

    private final String name;
    private final Secret secret;
    private final boolean remote;
    /** Null for a process that is started by hand. */
    private final @Nullable ChildProcess process;

    private final long startNs = System.nanoTime();
    private final @Nullable Path recording;

    private volatile @Nullable MessageConnection connection;
    private volatile String work = "";

    private WorkerProcess(
            String name, Secret secret, boolean remote, @Nullable ChildProcess process, @Nullable Path recording) {
        this.name = name;
        this.secret = secret;
        this.remote = remote;
        this.process = process;
        this.recording = recording;
    }

    static WorkerProcess byHand(String name, Secret secret) {
        return new WorkerProcess(name, secret, false, null, null);
    }

    /**
     * Launches a process that connects back to {@code at}. The secret is passed by standard input, since other users
     * see command lines. {@code home} is the same on every host; {@code recording} is the file for each run's recording
     * on this host, or null.
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

    sealed interface Host {
        String name();

        List<String> command(InetSocketAddress at, Path home, List<String> arguments, @Nullable Path recording);

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

        /** Another host, by ssh, with the program and a project in the same folders. */
        record Ssh(String name) implements Host {
            // Finds the address of this host in SSH_CONNECTION.
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

        /** A node of the Slurm job of this process, as a step of that job, which shares its CPUs and memory. */
        record Step(SlurmNodes.Node node) implements Host {
            @Override
            public String name() {
                return node.name();
            }

            // Finds the address of this host in SLURM_LAUNCH_NODE_IPADDR.
            @Override
            public List<String> command(
                    InetSocketAddress at, Path home, List<String> arguments, @Nullable Path recording) {
                List<String> command = new ArrayList<>(List.of(
                        "srun",
                        "--quiet",
                        "--overlap",
                        "--nodes=1",
                        "--ntasks=1",
                        "--export=ALL", // steps would inherit another setting of the job
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

    /** Hosts of a cell's processes; {@code apart} for a server with a node of its own. */
    record Hosts(Settings.Hosts hosts, SlurmNodes nodes, boolean apart) {
        /** @param servers true if there is a server that is not a machine of clients as well */
        static Hosts of(Settings.Hosts hosts, boolean servers) throws IOException, InterruptedException {
            boolean apart = servers && hosts.server().equals(Settings.SLURM);
            boolean slurm = apart || hosts.clients().contains(Settings.SLURM);
            return new Hosts(hosts, slurm ? SlurmNodes.current() : new SlurmNodes(List.of()), apart);
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

    void works(String what) {
        work = what;
    }

    /** Returns its state for display. Called from any thread. */
    Run.ProcessState state() {
        boolean known = isConnected() || hasEnded();
        return new Run.ProcessState(
                name,
                process == null || remote ? "" : Long.toString(process.pid()),
                !known ? "starting" : hasEnded() ? "ended" : work.isEmpty() ? "ready" : "running",
                work);
    }

    @Nullable
    Path recording() {
        return recording;
    }

    Secret secret() {
        return secret;
    }

    /** Returns the time since its launch, or since waiting for it, in ms. */
    long ageMs() {
        return (System.nanoTime() - startNs) / 1_000_000;
    }

    boolean isByHand() {
        return process == null;
    }

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

    /** Seals another process' sealed text for this process: only the two ends of a connection can decrypt it. */
    String sealAgain(String sealed, WorkerProcess from) throws IOException {
        return connection().seal(from.connection().open(sealed));
    }

    void send(Message message) throws IOException {
        try {
            connection().send(message);
        } catch (SocketException e) {
            throw new IOException(
                    "the connection to " + name + " was lost", e); // the system's own words are "Broken pipe"
        }
    }

    /** Returns a clause on its end, after a blank; empty if unknown. Waits, since its connection may end first. */
    String howItEnded() throws InterruptedException {
        if (process == null || !process.waitFor(END_MS)) {
            return "";
        }
        int code = process.exitCode();
        String how = remote && code == SSH_FAILED
                ? "ssh lost the connection"
                : code > 128 ? "killed by signal " + (code - 128) : "exit code " + code;
        List<String> words = process.lastLines();
        return " (" + how + (words.isEmpty() ? "" : ": " + words.getLast().strip()) + ")";
    }

    void kill() throws InterruptedException {
        if (process != null) {
            process.kill();
            process.waitFor();
        }
    }

    void stop() throws IOException, InterruptedException {
        if (process != null) {
            process.stop();
        }
    }

    void resume() throws IOException, InterruptedException {
        if (process != null) {
            process.resume();
        }
    }

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

    /** Closes the connection after the end of the process, which is killed at the deadline. */
    void close(long deadlineNs) {
        if (process != null) {
            try {
                if (!process.waitFor(Math.max(0, (deadlineNs - System.nanoTime()) / 1_000_000))) {
                    process.kill();
                    process.waitFor(END_MS); // its files are deleted after its end
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

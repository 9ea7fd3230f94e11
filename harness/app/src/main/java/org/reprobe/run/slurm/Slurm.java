package org.reprobe.run.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Executable;
import org.reprobe.trust.Printable;

/** Slurm's commands, as far as a job array needs them. Each is asked anew: a controller may be away for a while. */
public final class Slurm {
    /** Without a controller commands give up after some 10 s; with a wrong slurm.conf after a minute. */
    private static final long ANSWER_S = 20;

    private static final String GONE = "Invalid job id";

    private Slurm() {}

    /** Slurm did not do what it was told. */
    public static final class SlurmException extends IOException {
        private static final long serialVersionUID = 1L;

        SlurmException(String message) {
            super(message);
        }
    }

    /**
     * A partition.
     *
     * @param limitSeconds of a job; {@link Long#MAX_VALUE} for none
     * @param cpus of its largest node
     * @param memoryBytes of its largest node
     */
    public record Partition(String name, boolean isDefault, int nodes, long limitSeconds, int cpus, long memoryBytes) {}

    /**
     * A task of an array.
     *
     * @param index from 1
     * @param state in Slurm's words: PENDING, RUNNING, FAILED
     * @param node empty while it has none
     * @param reason in Slurm's words
     */
    public record Task(int index, String state, String node, String reason) {
        boolean isOver() {
            return switch (state) {
                case "PENDING",
                        "RUNNING",
                        "CONFIGURING",
                        "COMPLETING",
                        "REQUEUED",
                        "REQUEUE_HOLD",
                        "REQUEUE_FED",
                        "RESIZING",
                        "SUSPENDED",
                        "SIGNALING",
                        "STAGE_OUT",
                        "STOPPED" -> false;
                default -> true;
            };
        }
    }

    private record Answer(int code, String out, String err) {}

    /** Whether there is a Slurm on this host. */
    public static boolean isHere() {
        return Executable.isInstalled("sbatch");
    }

    private static Answer ask(List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile("reprobe-slurm", ".out");
        Path err = Files.createTempFile("reprobe-slurm", ".err");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!process.waitFor(ANSWER_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new Answer(-1, "", command.getFirst() + " gave no answer within " + ANSWER_S + " s");
            }
            return new Answer(process.exitValue(), text(out), text(err));
        } finally {
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        }
    }

    private static String text(Path file) throws IOException {
        return Printable.lines(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    }

    /** Slurm's own words, the program's name before them left out. */
    private static String reason(Answer answer) {
        String last = answer.err
                .lines()
                .filter(line -> !line.isBlank())
                .reduce((_, line) -> line)
                .orElse("no reason was given");
        return last.replaceFirst("^[a-z]+: (fatal: |error: )?", "");
    }

    private static Answer told(List<String> command) throws IOException, InterruptedException {
        Answer answer = ask(command);
        if (answer.code != 0) {
            throw new SlurmException(
                    answer.code == -1 || answer.err.contains("Unable to contact slurm controller")
                            ? "Slurm's controller does not answer (" + reason(answer) + ")"
                            : command.getFirst() + ": " + reason(answer));
        }
        return answer;
    }

    /** The partitions, sorted by name: the order of sinfo's lines may change from call to call. */
    public static Map<String, Partition> partitions() throws IOException, InterruptedException {
        Map<String, Partition> all = new TreeMap<>();
        // A line for each node of each partition.
        for (String line : told(List.of("sinfo", "-h", "-N", "-o", "%P|%l|%c|%m"))
                .out
                .lines()
                .toList()) {
            String[] fields = line.split("\\|", -1);
            if (fields.length != 4) {
                continue;
            }
            String name = fields[0].replace("*", "");
            Partition before = all.get(name);
            int cpus = (int) number(fields[2]);
            long memoryBytes = number(fields[3]) << 20;
            all.put(
                    name,
                    new Partition(
                            name,
                            fields[0].endsWith("*"),
                            before == null ? 1 : before.nodes + 1,
                            TimeLimit.seconds(fields[1]).orElse(Long.MAX_VALUE),
                            before == null ? cpus : Math.max(cpus, before.cpus),
                            before == null ? memoryBytes : Math.max(memoryBytes, before.memoryBytes)));
        }
        return all;
    }

    /** A number that may have a "+" behind it. */
    private static long number(String text) {
        String digits = text.replaceFirst("\\D.*", "");
        return digits.isEmpty() || digits.length() > 15 ? 0 : Long.parseLong(digits);
    }

    /** How many tasks an array may have. */
    public static int maxTasks() throws IOException, InterruptedException {
        return told(List.of("scontrol", "show", "config"))
                .out
                .lines()
                .filter(line -> line.startsWith("MaxArraySize"))
                .mapToInt(line -> (int) number(line.replaceFirst(".*=\\s*", "")) - 1)
                .findFirst()
                .orElse(1_000);
    }

    /** Submits a job; its number. */
    public static String submit(List<String> sbatch) throws IOException, InterruptedException {
        return told(sbatch).out.strip().replaceFirst(";.*", "");
    }

    /** The tasks of an array that Slurm still knows, ended ones too; empty when it knows the job no more. */
    public static Optional<List<Task>> tasks(String job) throws IOException, InterruptedException {
        Answer answer = ask(List.of("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%K|%T|%N|%r"));
        if (answer.code != 0) {
            if (answer.err.contains(GONE)) {
                return Optional.empty();
            }
            throw new SlurmException("Slurm's controller does not answer (" + reason(answer) + ")");
        }
        List<Task> tasks = new ArrayList<>();
        for (String line : answer.out.lines().toList()) {
            String[] fields = line.split("\\|", 4);
            if (fields.length == 4 && fields[0].matches("\\d{1,9}")) {
                tasks.add(new Task(Integer.parseInt(fields[0]), fields[1], fields[2], fields[3]));
            }
        }
        return tasks.isEmpty() ? Optional.empty() : Optional.of(tasks);
    }

    /** Ends a job; one that has ended already is left alone. */
    public static void cancel(String job) throws IOException, InterruptedException {
        told(List.of("scancel", "--quiet", job));
    }

    /** Why a task waits, in words; null where there is nothing to say. */
    static @Nullable String words(String reason) {
        return switch (reason) {
            case "None", "" -> null;
            case "Resources" -> "for nodes that are free";
            case "Priority" -> "for jobs that come first";
            case "BeginTime" -> "until Slurm is sure that its last node has ended it";
            case "ReqNodeNotAvail",
                    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
                            + "partitions" -> "for nodes that are down or reserved";
            case "JobArrayTaskLimit" -> "for other tasks of this run: --nodes says how many at a time";
            case "PartitionTimeLimit" -> "for ever: --time is beyond the partition's limit";
            case "PartitionNodeLimit" -> "for ever: it asks for more nodes than the partition gives a job";
            case "PartitionDown", "PartitionInactive" -> "for its partition, which is closed";
            case "JobHeldUser", "JobHeldAdmin" -> "to be released: it is held";
            case "launch failed requeued held" -> "to be released: a node could not start it (scontrol release)";
            default ->
                reason.startsWith("Assoc") || reason.startsWith("QOS")
                        ? "for your account's share (" + reason + ")"
                        : reason.startsWith("Nodes required for job are DOWN")
                                ? "for nodes that are down or reserved"
                                : "(" + reason + ")";
        };
    }
}

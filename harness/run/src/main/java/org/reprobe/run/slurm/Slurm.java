package org.reprobe.run.slurm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.run.ProgramResult;
import org.reprobe.system.program.Executable;

/** Slurm's commands for a job array. Results are not cached; a controller may be temporarily unavailable. */
public final class Slurm {
    /** Timeout of commands in s: without a controller they give up after 10 s, with a wrong slurm.conf after 60 s. */
    private static final long TIMEOUT_S = 20;

    private static final String GONE = "Invalid job id";

    /** Advice if a job may have been submitted. */
    private static final String UNCERTAIN = ". If squeue --me shows the job, end it by scancel";

    /** Form of a job in sbatch's output, with {@code --parsable} and where a site's wrapper drops that option. */
    private static final Pattern SUBMITTED =
            Pattern.compile("(?:Submitted batch job )?(\\d{1,12})(?:(?:;| on cluster )([A-Za-z0-9_.-]+))?\\s*");

    /** Variables that select the Slurm to use. */
    private static final Set<String> OF_THE_SITE =
            Set.of("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS", "SLURM_JWT");

    private Slurm() {}

    public static final class SlurmException extends IOException {
        SlurmException(String message) {
            super(message);
        }
    }

    /** A partition, with CPUs and memory of its largest node; the limit is {@link Long#MAX_VALUE} for none. */
    public record Partition(String name, boolean isDefault, int nodes, long limitSeconds, int cpus, long memoryBytes) {}

    /** A task of an array, in Slurm's words; indices begin at 1, the node is empty if it has none. */
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

    /** A job; the cluster is empty if there is only one. */
    public record Job(String number, String cluster) {
        /** Parses {@link #text} or sbatch's output; empty for another line. */
        static Optional<Job> parse(String line) {
            Matcher job = SUBMITTED.matcher(line);
            return job.matches()
                    ? Optional.of(new Job(job.group(1), Objects.requireNonNullElse(job.group(2), "")))
                    : Optional.empty();
        }

        String text() {
            return cluster.isEmpty() ? number : number + ";" + cluster;
        }

        private List<String> command(String program, String... arguments) {
            List<String> command = new ArrayList<>(List.of(program));
            if (!cluster.isEmpty()) {
                command.add("--clusters=" + cluster);
            }
            command.addAll(List.of(arguments));
            return command;
        }
    }

    public static boolean isAvailable() {
        return Executable.isInstalled("sbatch");
    }

    /** Returns true for a variable that would change settings of a new job, or columns and rows of the output. */
    static boolean isLeftOut(String variable) {
        return variable.matches("(SLURM|SQUEUE|SINFO|SCONTROL|SCANCEL)_.*") && !OF_THE_SITE.contains(variable);
    }

    private static ProgramResult query(List<String> command) throws InterruptedException {
        ProcessBuilder program = new ProcessBuilder(command);
        program.environment().keySet().removeIf(Slurm::isLeftOut);
        return ProgramResult.of(program, TIMEOUT_S);
    }

    /** Returns Slurm's message without the program's name; a site's wrapper may print more. */
    static String reason(String err) {
        List<String> lines = err.lines().filter(line -> !line.isBlank()).toList();
        String last = lines.stream()
                .filter(line -> line.matches("[a-z]+: (fatal|error): .*"))
                .reduce((_, line) -> line)
                .orElse(lines.isEmpty() ? "no reason was given" : lines.getLast());
        return last.replaceFirst("^[a-z]+: (fatal: |error: )?", "");
    }

    private static String unanswered(String program, ProgramResult result) {
        return "Slurm's controller does not respond (" + program + ": " + reason(result.err()) + ")";
    }

    private static ProgramResult output(List<String> command) throws IOException, InterruptedException {
        ProgramResult result = query(command);
        String program = command.getFirst();
        if (result.code() != 0) {
            throw new SlurmException(
                    result.code() == ProgramResult.NONE || result.err().contains("Unable to contact slurm controller")
                            ? unanswered(program, result) + (program.equals("sbatch") ? UNCERTAIN : "")
                            : program + ": " + reason(result.err()));
        }
        return result;
    }

    /** Returns the partitions by name: the order of sinfo's lines may change between calls. */
    public static Map<String, Partition> partitions() throws IOException, InterruptedException {
        return partitions(
                output(List.of("sinfo", "-h", "-N", "-o", "%P|%l|%c|%m")).out());
    }

    /** Parses sinfo's lines, one per node of each partition; a site's wrapper may print others. */
    static Map<String, Partition> partitions(String lines) {
        Map<String, Partition> all = new TreeMap<>();
        for (String line : lines.lines().toList()) {
            String[] fields = line.split("\\|", -1);
            if (fields.length != 4 || !fields[2].matches("\\d.*")) {
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

    /** Parses a number that may end in "+". */
    private static long number(String text) {
        String digits = text.replaceFirst("\\D.*", "");
        return digits.isEmpty() || digits.length() > 15 ? 0 : Long.parseLong(digits);
    }

    public static int maxTasks() throws IOException, InterruptedException {
        return output(List.of("scontrol", "show", "config"))
                .out()
                .lines()
                .filter(line -> line.matches("\\s*MaxArraySize\\s*=\\s*\\d+.*"))
                .mapToInt(line -> (int) number(line.replaceFirst(".*=\\s*", "")) - 1)
                .findFirst()
                .orElse(1_000);
    }

    public static Job submit(List<String> sbatch) throws IOException, InterruptedException {
        return submitted(output(sbatch).out());
    }

    /** Parses the last line that has the form of a job: a site's wrapper may print lines before and after it. */
    static Job submitted(String out) throws SlurmException {
        return out.lines()
                .flatMap(line -> Job.parse(line).stream())
                .reduce((_, job) -> job)
                .orElseThrow(() -> new SlurmException("sbatch printed no job number, so this run can't watch the job: "
                        + (out.isBlank() ? "it printed nothing" : "\"" + out.strip() + "\"")
                        + UNCERTAIN));
    }

    /** Returns an array's tasks, ended ones too; none if squeue prints nothing, empty if the job is unknown. */
    public static Optional<List<Task>> tasks(Job job) throws IOException, InterruptedException {
        ProgramResult result =
                query(job.command("squeue", "-h", "-r", "-t", "all", "-j", job.number, "-o", "%K|%T|%N|%r"));
        if (result.err().contains(GONE)) {
            return Optional.empty();
        }
        if (result.code() != 0) {
            throw new SlurmException(unanswered("squeue", result));
        }
        List<Task> tasks = new ArrayList<>();
        for (String line : result.out().lines().toList()) {
            String[] fields = line.split("\\|", 4);
            if (fields.length == 4 && fields[0].matches("\\d{1,9}")) {
                tasks.add(new Task(Integer.parseInt(fields[0]), fields[1], fields[2], fields[3]));
            }
        }
        return Optional.of(tasks);
    }

    public static void cancel(Job job) throws IOException, InterruptedException {
        output(job.command("scancel", "--quiet", job.number));
    }

    /** Returns the reason why a task is pending, in words; null for none. */
    static @Nullable String words(String reason) {
        return switch (reason) {
            case "None", "" -> null;
            case "Resources" -> "for nodes that are free";
            case "Priority" -> "for jobs that come first";
            case "BeginTime" -> "until its end on the last node is confirmed";
            case "ReqNodeNotAvail",
                    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
                            + "partitions" -> "for nodes that are down or reserved";
            case "JobArrayTaskLimit" -> "for other tasks of this run: --nodes limits concurrent ones";
            case "PartitionTimeLimit" -> "for ever: --time exceeds the partition's limit";
            case "PartitionNodeLimit" -> "for ever: it needs more nodes than the partition allows per job";
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

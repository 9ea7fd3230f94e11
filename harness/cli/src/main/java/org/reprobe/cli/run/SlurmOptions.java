package org.reprobe.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.options.Choice;
import org.reprobe.cli.options.Range;
import org.reprobe.run.slurm.TimeLimit;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --on slurm} and its options: names and values are sbatch's where it has them. */
final class SlurmOptions {
    static final List<String> NAMES =
            List.of("--nodes", "--partition", "--account", "--time", "--cpus", "--shards", "--slurm", "--detach");

    @Option(
            names = "--on",
            paramLabel = "slurm",
            converter = Choice.OfEngine.class,
            completionCandidates = Choice.OfEngine.class,
            description = "Run shards as a job array of this batch system, then merge.")
    private @Nullable String on;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description =
                    "With --on: maximum number of nodes (default: the partition's; for real fabrics, one per machine).")
    @Range(min = 1, max = 100_000)
    private @Nullable Integer nodes;

    @Option(names = "--partition", paramLabel = "P", description = "With --on: partition (default: Slurm's).")
    private @Nullable String partition;

    @Option(names = "--account", paramLabel = "A", description = "With --on: account to charge.")
    private @Nullable String account;

    @Option(
            names = "--time",
            paramLabel = "T",
            converter = Time.class,
            description = "With --on: time limit per task, in minutes or as h:m:s (default: twice the estimate).")
    private @Nullable Long timeSeconds;

    @Option(names = "--cpus", paramLabel = "C", description = "With --on: cores per task (default: 1).")
    @Range(min = 1, max = 4_096)
    private @Nullable Integer cpus;

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "With --on: number of tasks (default: from nodes and the estimate).")
    @Range(min = 1, max = ShardOf.MAX_COUNT)
    private @Nullable Integer shards;

    @Option(
            names = "--slurm",
            paramLabel = "OPTION",
            description = "With --on: additional option for sbatch, as \"--qos=low\".")
    private List<String> more = new ArrayList<>();

    @Option(names = "--detach", description = "With --on: submit only; run --resume DIR --on slurm watches and merges.")
    private boolean detach;

    static final class Time implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long seconds = TimeLimit.seconds(text).orElse(0);
            if (seconds < 1) {
                throw new TypeConversionException("must be minutes, or as Slurm writes times: 1:30:00, 2-12:00:00");
            }
            return seconds;
        }
    }

    boolean isGiven() {
        return on != null;
    }

    @Nullable
    Integer nodes() {
        return nodes;
    }

    @Nullable
    String partition() {
        return partition;
    }

    @Nullable
    String account() {
        return account;
    }

    @Nullable
    Long timeSeconds() {
        return timeSeconds;
    }

    boolean isCpusGiven() {
        return cpus != null;
    }

    int cpus() {
        return cpus == null ? 1 : cpus;
    }

    @Nullable
    Integer shards() {
        return shards;
    }

    List<String> more() {
        return more.stream()
                .flatMap(option -> Stream.of(option.strip().split("\\s+")))
                .toList();
    }

    boolean detach() {
        return detach;
    }
}

package org.reprobe.run.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.run.ProgramResult;

/**
 * Nodes of the Slurm job of this process, in Slurm's order, for {@code hosts: slurm}. They are read at each start,
 * since a requeued job gets others. This process runs on the first, unless it was started outside of the job.
 */
public record SlurmNodes(List<Node> nodes) {
    private static final String JOB = "SLURM_JOB_ID";
    private static final String NODES = "SLURM_JOB_NODELIST";
    private static final String CPUS = "SLURM_JOB_CPUS_PER_NODE";
    private static final Pattern SAME = Pattern.compile("(\\d{1,6})(?:\\(x(\\d{1,6})\\))?");
    private static final Pattern PART = Pattern.compile("\\[[^]]*]|,|[^,\\[]+");
    private static final int TIMEOUT_S = 60;

    /** A node with its number of CPUs in the job. */
    record Node(String name, int cpus) {}

    public SlurmNodes {
        nodes = List.copyOf(nodes);
    }

    public static boolean areAvailable() {
        return isJob(System.getenv());
    }

    static boolean isJob(Map<String, String> environment) {
        return environment.containsKey(JOB) && environment.containsKey(NODES);
    }

    /** Returns the nodes of this process's job; fails if there is no job or no list of nodes. */
    public static SlurmNodes current() throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        if (!isJob(environment)) {
            throw new IOException("hosts: slurm needs a Slurm job, but this process runs in none");
        }
        String list = environment.getOrDefault(NODES, "");
        ProgramResult result = ProgramResult.of(new ProcessBuilder("scontrol", "show", "hostnames", list), TIMEOUT_S);
        List<String> names = names(result.out(), list);
        if (result.code() != 0 || names.isEmpty()) {
            throw new IOException("scontrol printed no names for the nodes " + list);
        }
        return of(names, environment.getOrDefault(CPUS, ""));
    }

    /** Returns the lines that name nodes in a list like {@code n[1-3,07],login}: wrappers may print others. */
    static List<String> names(String lines, String nodes) {
        StringBuilder form = new StringBuilder();
        Matcher part = PART.matcher(nodes);
        while (part.find()) {
            form.append(
                    switch (part.group().charAt(0)) {
                        case '[' -> "\\d+";
                        case ',' -> "|";
                        default -> Pattern.quote(part.group());
                    });
        }
        Pattern name = Pattern.compile(form.toString());
        return lines.lines()
                .map(String::strip)
                .filter(line -> name.matcher(line).matches())
                .toList();
    }

    /** @param cpus in Slurm's notation: {@code 72(x2),36}; 1 for nodes without a number */
    static SlurmNodes of(List<String> names, String cpus) {
        List<Integer> each = new ArrayList<>();
        for (String part : cpus.split(",", -1)) {
            Matcher same = SAME.matcher(part);
            if (same.matches()) {
                int count = same.group(2) == null ? 1 : Integer.parseInt(same.group(2));
                for (int i = 0; i < count && each.size() < names.size(); i++) {
                    each.add(Integer.parseInt(same.group(1)));
                }
            }
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            nodes.add(new Node(names.get(i), i < each.size() ? each.get(i) : 1));
        }
        return new SlurmNodes(nodes);
    }

    Node server() {
        return nodes.getFirst();
    }

    /** Node of a machine of clients: round robin over all nodes but the server's, if there are others. */
    Node client(int machine, boolean servers) {
        int first = servers && nodes.size() > 1 ? 1 : 0;
        return nodes.get(first + machine % (nodes.size() - first));
    }
}

package org.reprobe.run.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.run.ProgramAnswer;

/**
 * The nodes of the Slurm job that this process runs in, which {@code hosts: slurm} means. They are asked for anew at each start, since a job
 * that is queued again gets others.
 *
 * @param nodes in Slurm's order; this process runs on the first, unless it was started beside the job
 */
public record SlurmNodes(List<Node> nodes) {
    private static final String JOB = "SLURM_JOB_ID";
    private static final String NODES = "SLURM_JOB_NODELIST";
    private static final String CPUS = "SLURM_JOB_CPUS_PER_NODE";
    private static final Pattern SAME = Pattern.compile("(\\d{1,6})(?:\\(x(\\d{1,6})\\))?");
    private static final Pattern PART = Pattern.compile("\\[[^]]*]|,|[^,\\[]+");
    private static final int ANSWER_S = 60;

    /**
     * One of them.
     *
     * @param cpus that the job has there
     */
    record Node(String name, int cpus) {}

    public SlurmNodes {
        nodes = List.copyOf(nodes);
    }

    /** Whether this process runs in a job. */
    public static boolean areHere() {
        return isJob(System.getenv());
    }

    static boolean isJob(Map<String, String> environment) {
        return environment.containsKey(JOB) && environment.containsKey(NODES);
    }

    /**
     * Those of this process' job.
     *
     * @throws IOException when it runs in none, or Slurm does not say; in words
     */
    public static SlurmNodes here() throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        if (!isJob(environment)) {
            throw new IOException("hosts: slurm are the nodes of a Slurm job, and this does not run in one");
        }
        String list = environment.getOrDefault(NODES, "");
        ProgramAnswer answer = ProgramAnswer.of(new ProcessBuilder("scontrol", "show", "hostnames", list), ANSWER_S);
        List<String> names = names(answer.out(), list);
        if (answer.code() != 0 || names.isEmpty()) {
            throw new IOException("scontrol printed no names of the nodes " + list);
        }
        return of(names, environment.getOrDefault(CPUS, ""));
    }

    /** Lines that are names of nodes in a list such as {@code n[1-3,07],login}: a site's wrapper may print others. */
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

    /**
     * Puts nodes and their CPUs together.
     *
     * @param cpus as Slurm writes it: {@code 72(x2),36}; what it doesn't say of a node is 1
     */
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

    /** Their names. */
    public List<String> names() {
        return nodes.stream().map(Node::name).toList();
    }

    /** Where a server's process runs. */
    Node server() {
        return nodes.getFirst();
    }

    /**
     * Where the process of a machine of clients runs: in turn on all nodes but the server's, if there are others.
     *
     * @param servers whether a server has the first node
     */
    Node client(int machine, boolean servers) {
        int first = servers && nodes.size() > 1 ? 1 : 0;
        return nodes.get(first + machine % (nodes.size() - first));
    }
}

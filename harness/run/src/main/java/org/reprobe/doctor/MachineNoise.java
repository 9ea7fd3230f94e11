package org.reprobe.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;

/**
 * Examination of a Linux machine for causes of differences between runs: variable clocks, other load, shared, limited
 * or stolen processors. Each finding states the effect on measurements and the remedy; none prevents a measurement.
 */
public final class MachineNoise {
    private static final String CPUS = "sys/devices/system/cpu";
    private static final String CGROUPS = "sys/fs/cgroup";

    /** Time for 20 ticks of the kernel's clock per processor. */
    private static final long SAMPLE_MS = 200;

    /** Load in processors that is normal for an idle machine. */
    private static final double MIN_BUSY = 0.2;

    private static final double MIN_STOLEN = 0.01;

    private final KernelFiles files;
    private final int threads;
    private final List<Diagnosis> findings = new ArrayList<>();

    interface Pause {
        void pass() throws InterruptedException, IOException;
    }

    private MachineNoise(Path root, int threads) {
        this.files = new KernelFiles(root);
        this.threads = threads;
    }

    /** Examines this machine for this number of threads to run at once; 0 if unknown. */
    public static List<Diagnosis> ofThisMachine(int threads) throws InterruptedException {
        try {
            return of(Path.of("/"), threads, () -> Thread.sleep(SAMPLE_MS));
        } catch (IOException e) {
            throw new IllegalStateException(e); // sleeping does no I/O
        }
    }

    static List<Diagnosis> of(Path root, int threads, Pause pause) throws InterruptedException, IOException {
        MachineNoise there = new MachineNoise(root, threads);
        there.governor();
        there.turbo();
        there.siblings();
        there.load(pause);
        there.allowed();
        there.quota();
        there.nodes();
        there.hugePages();
        there.virtual();
        return List.copyOf(there.findings);
    }

    private void governor() {
        Set<String> governors = new TreeSet<>();
        for (Path cpu : files.list(CPUS)) {
            String governor = KernelFiles.read(cpu.resolve("cpufreq/scaling_governor"));
            if (!governor.isEmpty()) {
                governors.add(governor);
            }
        }
        if (governors.equals(Set.of("performance"))) {
            findings.add(Diagnosis.fine("frequency governor", "performance: constant frequency"));
        } else if (!governors.isEmpty()) {
            warn(
                    "frequency governor",
                    String.join(", ", governors) + " changes the processors' frequency and thereby latencies: as root,"
                            + " cpupower frequency-set -g performance");
        }
    }

    private void turbo() {
        String off = null;
        if (files.read(CPUS + "/intel_pstate/no_turbo").equals("0")) {
            off = "echo 1 > /" + CPUS + "/intel_pstate/no_turbo";
        } else if (files.read(CPUS + "/cpufreq/boost").equals("1")) {
            off = "echo 0 > /" + CPUS + "/cpufreq/boost";
        }
        if (off != null) {
            warn(
                    "turbo",
                    "is on: the clock depends on the number of busy cores and their temperature; as root, " + off);
        }
    }

    private void siblings() {
        if (!files.read(CPUS + "/smt/active").equals("1")) {
            return;
        }
        Set<Integer> allowed = allowedProcessors();
        Set<Integer> firsts = new TreeSet<>();
        boolean shared = allowed.isEmpty();
        for (int cpu : allowed) {
            Set<Integer> core = ProcessorList.parse(files.read(CPUS + "/cpu" + cpu + "/topology/thread_siblings_list"));
            core.retainAll(allowed);
            shared |= core.size() != 1;
            core.stream().findFirst().ifPresent(firsts::add);
        }
        if (shared) {
            warn(
                    "hyperthreading",
                    "is on: the speed of a thread depends on the other thread of its core; as root, echo off > /"
                            + CPUS + "/smt/control"
                            + (firsts.isEmpty()
                                    ? ""
                                    : "; or use one thread per core, taskset -c " + ProcessorList.words(firsts)
                                            + " ./run.sh ..."));
        }
    }

    private void load(Pause pause) throws InterruptedException, IOException {
        Ticks before = Ticks.read(files);
        pause.pass();
        Ticks after = Ticks.read(files);
        if (before == null || after == null || after.all() <= before.all()) {
            return;
        }
        double all = after.all() - before.all();
        double share = Math.max(0, after.others() - before.others()) / all;
        double stolen = (after.stolen() - before.stolen()) / all;
        double busy = share * after.processors();
        if (busy >= MIN_BUSY) {
            String average = files.read("proc/loadavg").split(" ", -1)[0];
            warn(
                    "other load",
                    String.format(
                            Locale.ROOT,
                            "other processes keep %.1f of %d processors busy%s and delay runs: top lists them;"
                                    + " stop them, or measure later",
                            busy,
                            after.processors(),
                            average.isEmpty() ? "" : " (load average " + average + ")"));
        } else {
            findings.add(Diagnosis.fine("other load", "below 0.2 processors"));
        }
        if (stolen >= MIN_STOLEN) {
            warn(
                    "stolen time",
                    String.format(
                            Locale.ROOT,
                            "the host took %.0f %% of the processors' time, which stops threads anywhere: use dedicated"
                                    + " processors (dedicated instance, vcpupin); vmstat 1 shows it (st)",
                            100 * stolen));
        }
    }

    private void allowed() {
        Set<Integer> allowed = allowedProcessors();
        String online = files.read(CPUS + "/online");
        if (threads > allowed.size()
                && !allowed.isEmpty()
                && ProcessorList.parse(online).size() > allowed.size()) {
            warn(
                    "allowed processors",
                    "only " + ProcessorList.words(allowed) + " of " + online + ", for " + threads
                            + " threads, which therefore share processors: taskset -c " + online
                            + " ./run.sh ..., or use fewer clients, --set clients.threads=1");
        }
    }

    private void quota() {
        Quota least = null;
        for (Quota each : quotas()) {
            if (least == null || each.processors() < least.processors()) {
                least = each;
            }
        }
        int wanted = threads > 0
                ? threads
                : ProcessorList.parse(files.read(CPUS + "/online")).size();
        if (least != null && least.processors() < wanted) {
            warn(
                    "processor quota",
                    String.format(
                            Locale.ROOT,
                            "a control group limits %2$s to the time of %1$.3g processors; when that of a period (%3$.3g ms) is used"
                                    + " up, all threads wait for the next one: as root, %4$s",
                            least.processors(),
                            threads > 0 ? Quantities.count(threads, "thread") : "all that runs in it",
                            least.periodUs() / 1e3,
                            least.lift()));
        }
    }

    /** CPU limit of a control group, with the command that removes it. */
    private record Quota(double processors, double periodUs, String lift) {}

    private List<Quota> quotas() {
        List<Quota> quotas = new ArrayList<>();
        Set<Path> looked = new HashSet<>();
        for (String line : files.lines("proc/self/cgroup")) {
            String[] parts = line.split(":", 3); // hierarchy, controllers (none in version 2), path
            if (parts.length < 3) {
                continue;
            }
            boolean second = parts[1].isEmpty();
            if (!second && !Set.of(parts[1].split(",", -1)).contains("cpu")) {
                continue;
            }
            Path top = files.root().resolve(second ? CGROUPS : CGROUPS + "/cpu");
            Path at = top.resolve(parts[2].substring(Math.min(1, parts[2].length())))
                    .normalize();
            // Limits of all enclosing groups apply, too; in a container the path may differ from the visible one.
            for (; at != null && at.startsWith(top); at = at.getParent()) {
                if (looked.add(at)) {
                    quota(at, second, quotas);
                }
            }
        }
        return quotas;
    }

    private void quota(Path group, boolean second, List<Quota> quotas) {
        String shown = "/" + files.root().relativize(group);
        String[] max = second
                ? KernelFiles.read(group.resolve("cpu.max")).split(" ", -1)
                : new String[] {
                    KernelFiles.read(group.resolve("cpu.cfs_quota_us")),
                    KernelFiles.read(group.resolve("cpu.cfs_period_us"))
                };
        if (max.length == 2 && max[0].matches("\\d{1,12}") && max[1].matches("[1-9]\\d{0,11}")) {
            double periodUs = Double.parseDouble(max[1]);
            quotas.add(new Quota(
                    Double.parseDouble(max[0]) / periodUs,
                    periodUs,
                    second ? "echo max > " + shown + "/cpu.max" : "echo -1 > " + shown + "/cpu.cfs_quota_us"));
        }
    }

    /** Checks whether threads and their memory may be on different nodes; only if threads are known to run. */
    private void nodes() {
        if (threads == 0) {
            return;
        }
        Set<Integer> allowed = allowedProcessors();
        List<String> reached = new ArrayList<>();
        for (Path node : files.list("sys/devices/system/node")) {
            String name = node.getFileName().toString();
            if (name.matches("node\\d+")) {
                Set<Integer> own = ProcessorList.parse(KernelFiles.read(node.resolve("cpulist")));
                if (own.removeAll(allowed)) { // some are allowed
                    reached.add(name.substring("node".length()));
                }
            }
        }
        if (reached.size() > 1) {
            String first = reached.getFirst();
            warn(
                    "NUMA nodes",
                    "threads may run on nodes " + String.join(", ", reached)
                            + ", near their memory or far from it, unless pinned by hosts.server-cores and"
                            + " hosts.client-cores: numactl --cpunodebind=" + first + " --membind=" + first
                            + " ./run.sh ...");
        }
    }

    private void hugePages() {
        String pages = "sys/kernel/mm/transparent_hugepage/enabled";
        if (files.read(pages).contains("[always]")) {
            warn(
                    "transparent huge pages",
                    "always: the kernel merges pages during a run, at different times in different runs; as root,"
                            + " echo madvise > /" + pages);
        }
    }

    private void virtual() {
        String kind = files.read("sys/hypervisor/type");
        boolean virtual = !kind.isEmpty()
                || files.lines("proc/cpuinfo").stream()
                        .anyMatch(line -> line.startsWith("flags") && (line + " ").contains(" hypervisor "));
        if (virtual) {
            String name = Stream.of(
                            kind,
                            files.read("sys/class/dmi/id/sys_vendor"),
                            files.read("sys/class/dmi/id/product_name"))
                    .filter(word -> !word.isEmpty())
                    .collect(Collectors.joining(", "));
            warn(
                    "virtual machine",
                    "yes" + (name.isEmpty() ? "" : " (" + name + ")")
                            + ": its host schedules the processors, and other guests are invisible: compare alternately,"
                            + " ./run.sh regress pair");
        }
        if (files.exists(".dockerenv") || files.exists("run/.containerenv") || files.exists("run/systemd/container")) {
            warn(
                    "container",
                    "yes: other containers of the machine use the same processors; assign its own, as by docker run"
                            + " --cpuset-cpus=LIST");
        }
    }

    private void warn(String subject, String words) {
        findings.add(Diagnosis.warning(subject, words));
    }

    private Set<Integer> allowedProcessors() {
        for (String line : files.lines("proc/self/status")) {
            if (line.startsWith("Cpus_allowed_list:")) {
                return ProcessorList.parse(line.substring("Cpus_allowed_list:".length()));
            }
        }
        return new TreeSet<>();
    }

    /** Time of all processors since boot, in ticks of the kernel's clock; {@code others} includes the kernel. */
    private record Ticks(long all, long others, long stolen, int processors) {
        /** Columns of {@code /proc/stat}; time of guests is in that of users. */
        private static final int USER = 1;

        private static final int IDLE = 4;
        private static final int IO_WAIT = 5;
        private static final int STEAL = 8;

        /** Columns of {@code /proc/self/stat} behind the program's name. */
        private static final int OWN_USER = 12;

        static @Nullable Ticks read(KernelFiles files) {
            List<String> stat = files.lines("proc/stat");
            int processors = (int)
                    stat.stream().filter(line -> line.matches("cpu\\d+ .*")).count();
            for (String line : stat) {
                String[] numbers = line.strip().split("\\s+", -1);
                if (numbers[0].equals("cpu") && numbers.length > STEAL && processors > 0) {
                    long all = 0;
                    for (int i = USER; i <= STEAL; i++) {
                        all += number(numbers[i]);
                    }
                    long stolen = number(numbers[STEAL]);
                    long busy = all - number(numbers[IDLE]) - number(numbers[IO_WAIT]) - stolen;
                    return new Ticks(all, busy - own(files), stolen, processors);
                }
            }
            return null;
        }

        private static long own(KernelFiles files) {
            String stat = String.join("", files.lines("proc/self/stat"));
            String[] behindName = stat.substring(stat.lastIndexOf(')') + 1).split(" ", -1);
            return behindName.length <= OWN_USER + 1
                    ? 0
                    : number(behindName[OWN_USER]) + number(behindName[OWN_USER + 1]);
        }

        private static long number(String text) {
            return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
        }
    }
}

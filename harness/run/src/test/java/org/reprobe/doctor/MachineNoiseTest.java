package org.reprobe.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.doctor.Diagnosis.Weight;

class MachineNoiseTest {
    private static final String CPU = "sys/devices/system/cpu/";
    private static final String PAGES = "sys/kernel/mm/transparent_hugepage/enabled";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path root;

    /** Activity of the processors during the sample. */
    private MachineNoise.Pause meanwhile = () -> stat(10, 0, 0);

    /** An idle machine of four cores without findings. */
    @BeforeEach
    void quietMachine() throws IOException {
        for (int cpu = 0; cpu < 4; cpu++) {
            file(CPU + "cpu" + cpu + "/cpufreq/scaling_governor", "performance");
            file(CPU + "cpu" + cpu + "/topology/thread_siblings_list", "" + cpu);
        }
        file(CPU + "online", "0-3");
        file(CPU + "smt/active", "0");
        file(CPU + "intel_pstate/no_turbo", "1");
        file(CPU + "cpufreq/boost", "0");
        file(PAGES, "always [madvise] never");
        file("sys/devices/system/node/node0/cpulist", "0-3");
        file("sys/fs/cgroup/cpu.max", "max 100000");
        file("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t0-3");
        file("proc/self/cgroup", "0::/user.slice/run.scope");
        file("proc/cpuinfo", "flags\t\t: fpu vme sse2");
        file("proc/loadavg", "0.02 0.01 0.00 1/82 30066");
        stat(0, 0, 0);
    }

    private void file(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content + "\n");
    }

    /** Ticks since the start, of one processor, and those of others, this process and the host, of all four. */
    private void stat(int passed, int others, int own) throws IOException {
        stat(passed, others, own, 0);
    }

    private void stat(int passed, int others, int own, int stolen) throws IOException {
        int idle = 1_000_000 + 4 * passed - others - own - stolen;
        file(
                "proc/stat",
                "cpu  " + (700 + others + own) + " 0 300 " + idle + " 50 0 0 " + stolen + " 0 0\n"
                        + "cpu0 1 0 1 1 0 0 0 0 0 0\ncpu1 1 0 1 1 0 0 0 0 0 0\ncpu2 1 0 1 1 0 0 0 0 0 0\ncpu3 1 0 1 1 0 0 0 0 0 0\n"
                        + "intr 1");
        file("proc/self/stat", "30060 (a (b) c) R 1 1 1 1 -1 4 103 0 0 0 " + (20 + own) + " 5 0 0 20 0 1 0 324903");
    }

    private List<Diagnosis> warnings(int threads) throws Exception {
        return MachineNoise.of(root, threads, meanwhile).stream()
                .filter(finding -> finding.weight() != Weight.FINE)
                .toList();
    }

    private void expect(int threads, String subject, String... words) throws Exception {
        assertThat(warnings(threads)).singleElement().satisfies(finding -> {
            assertThat(finding.weight()).isEqualTo(Weight.WARNING);
            assertThat(finding.subject()).isEqualTo(subject);
            assertThat(finding.words()).contains(words).doesNotContain("\n");
        });
    }

    @Test
    void aQuietMachineHasNoNoise() throws Exception {
        assertThat(MachineNoise.of(root, 4, meanwhile))
                .allMatch(finding -> finding.weight() == Weight.FINE)
                .extracting(Diagnosis::subject)
                .containsExactly("frequency governor", "other load");
    }

    @Test
    void aMachineWithoutStatisticsHasNoNoise() throws Exception {
        assertThat(MachineNoise.of(root.resolve("nothing"), 28, () -> {})).isEmpty();
    }

    @Test
    void aGovernorThatChangesTheFrequencyOfAnyProcessorIsNoise() throws Exception {
        file(CPU + "cpu3/cpufreq/scaling_governor", "powersave");
        expect(4, "frequency governor", "performance, powersave", "cpupower frequency-set -g performance");
    }

    @ParameterizedTest
    @CsvSource({"intel_pstate/no_turbo, 0, echo 1 > /", "cpufreq/boost, 1, echo 0 > /"})
    void turboIsNoise(String file, String on, String command) throws Exception {
        file(CPU + file, on);
        expect(4, "turbo", "as root, " + command + CPU + file);
    }

    @Test
    void twoThreadsOfACoreAreNoiseUnlessOneIsAllowed() throws Exception {
        file(CPU + "smt/active", "1");
        file(CPU + "cpu0/topology/thread_siblings_list", "0,2");
        file(CPU + "cpu2/topology/thread_siblings_list", "0,2");
        file(CPU + "cpu1/topology/thread_siblings_list", "1,3");
        file(CPU + "cpu3/topology/thread_siblings_list", "1,3");
        expect(2, "hyperthreading", "echo off > /sys/devices/system/cpu/smt/control", "taskset -c 0-1 ./run.sh");
        file("proc/self/status", "Cpus_allowed_list:\t0-1");
        assertThat(warnings(2)).isEmpty();
    }

    @Test
    void workOfOthersIsNoiseAndOnesOwnIsNone() throws Exception {
        file("proc/loadavg", "2.50 0.01 0.00 1/82 30066");
        meanwhile = () -> stat(20, 30, 0);
        expect(4, "other load", "keep 1.5 of 4 processors busy (load average 2.50)", "top lists them");
        stat(0, 0, 0);
        meanwhile = () -> stat(20, 0, 30);
        assertThat(warnings(4)).isEmpty();
    }

    @Test
    void stolenCpuTimeIsNoise() throws Exception {
        meanwhile = () -> stat(20, 0, 0, 4);
        expect(4, "stolen time", "took 5 % of the processors' time", "vmstat 1");
    }

    @Test
    void fewerProcessorsThanThreadsAreNoiseWhereOthersAreKeptFromThem() throws Exception {
        file("proc/self/status", "Cpus_allowed_list:\t0,2-3");
        expect(4, "allowed processors", "only 0,2-3 of 0-3, for 4 threads", "taskset -c 0-3 ./run.sh");
        assertThat(warnings(3)).isEmpty();
        assertThat(warnings(0)).isEmpty();
    }

    @Test
    void aQuotaOfAnyGroupAroundIsNoiseForMoreThreads() throws Exception {
        file("sys/fs/cgroup/user.slice/run.scope/cpu.max", "max 100000");
        file("sys/fs/cgroup/user.slice/cpu.max", "150000 100000");
        expect(
                4,
                "processor quota",
                "limits 4 threads to the time of 1.50 processors",
                "(100 ms)",
                "echo max > /sys/fs/cgroup/user.slice/cpu.max");
        expect(0, "processor quota", "limits all that runs in it");
        assertThat(warnings(1)).isEmpty();
    }

    @Test
    void aQuotaOfTheFirstVersionIsNoise() throws Exception {
        file("proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/docker/1234\n0::/");
        file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000");
        file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
        expect(4, "processor quota", "2.00 processors", "echo -1 > /sys/fs/cgroup/cpu/cpu.cfs_quota_us");
        file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
        assertThat(warnings(4)).isEmpty();
    }

    @Test
    void severalNodesAreNoiseUnlessPinnedToOne() throws Exception {
        file("sys/devices/system/node/node0/cpulist", "0-1");
        file("sys/devices/system/node/node1/cpulist", "2-3");
        expect(4, "NUMA nodes", "nodes 0, 1", "numactl --cpunodebind=0 --membind=0 ./run.sh");
        file("proc/self/status", "Cpus_allowed_list:\t2-3");
        assertThat(warnings(2)).isEmpty();
    }

    @Test
    void hugePagesThatTheKernelMakesMeanwhileAreNoise() throws Exception {
        file(PAGES, "[always] madvise never");
        expect(4, "transparent huge pages", "echo madvise > /" + PAGES);
        file(PAGES, "always madvise [never]");
        assertThat(warnings(4)).isEmpty();
    }

    @Test
    void aVirtualMachineIsNoise() throws Exception {
        file("proc/cpuinfo", "flags\t\t: fpu hypervisor");
        file("sys/class/dmi/id/sys_vendor", "QEMU");
        expect(4, "virtual machine", "yes (QEMU)", "./run.sh regress pair");
    }

    @ParameterizedTest
    @CsvSource({".dockerenv", "run/.containerenv", "run/systemd/container"})
    void aContainerIsNoise(String mark) throws Exception {
        file(mark, "");
        expect(4, "container", "docker run --cpuset-cpus=");
    }
}

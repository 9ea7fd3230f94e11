package org.reprobe.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.doctor.Diagnosis.Weight;
import org.reprobe.verbs.DeviceLimits;
import org.reprobe.verbs.ExaminedDevice;
import org.reprobe.verbs.WriteOrder;

class ExaminationTest {
    private static final String PORT = "sys/class/infiniband/mlx5_0/ports/1/";
    private static final String HCA_TYPE = "sys/class/infiniband/mlx5_0/hca_type";
    private static final String PCI = "sys/class/infiniband/mlx5_0/device/";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path root;

    /** A machine with one card and no problems. */
    @BeforeEach
    void healthyMachine() throws IOException {
        file(PORT + "state", "4: ACTIVE");
        file(PORT + "link_layer", "InfiniBand");
        file(PORT + "rate", "100 Gb/sec (4X EDR)");
        file(PCI + "current_link_speed", "8.0 GT/s PCIe");
        file(PCI + "max_link_speed", "8.0 GT/s PCIe");
        file(PCI + "current_link_width", "16");
        file(PCI + "max_link_width", "16");
        file(PCI + "numa_node", "0");
        file("dev/infiniband/uverbs0", "");
        file("dev/infiniband/rdma_cm", "");
        file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes");
        file("proc/self/status", "Cpus_allowed_list:\t0-3");
        file("proc/meminfo", "HugePages_Total:       0");
        file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
        file("sys/devices/system/node/node0/cpulist", "0-3");
        file("sys/devices/system/node/node1/cpulist", "4-7");
    }

    private void file(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content + "\n");
    }

    private void expect(Weight weight, String subject, String words) {
        expect(Examination.ofFiles(root), weight, subject, words);
    }

    private static void expect(List<Diagnosis> findings, Weight weight, String subject, String words) {
        assertThat(findings.stream()
                        .filter(finding -> finding.weight() != Weight.FINE)
                        .toList())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.weight()).isEqualTo(weight);
                    assertThat(finding.subject()).isEqualTo(subject);
                    assertThat(finding.words()).contains(words);
                });
    }

    @Test
    void aHealthyMachineIsFine() {
        aHealthyMachine("is ACTIVE, InfiniBand, 100 Gb/sec (4X EDR)");
    }

    private void aHealthyMachine(String words) {
        assertThat(Examination.ofFiles(root))
                .allMatch(finding -> finding.weight() == Weight.FINE)
                .extracting(Diagnosis::words)
                .anyMatch(found -> found.contains(words));
    }

    @Test
    void noDeviceIsAProblem() {
        assertThat(Examination.ofFiles(root.resolve("nothing")))
                .anyMatch(finding ->
                        finding.weight() == Weight.PROBLEM && finding.words().contains("no RDMA device"));
    }

    @Test
    void aPortThatIsDownIsAProblem() throws IOException {
        file(PORT + "state", "1: DOWN");
        expect(Weight.PROBLEM, "mlx5_0 port 1", "is DOWN: check the cable");
    }

    @Test
    void aPortThatWaitsForItsSubnetManagerIsAProblem() throws IOException {
        file(PORT + "state", "2: INIT");
        expect(Weight.PROBLEM, "mlx5_0 port 1", "no subnet manager");
    }

    @Test
    void lostLanesOfTheLinkAreAWarning() throws IOException {
        file(PORT + "rate", "25 Gb/sec (1X EDR)");
        expect(Weight.WARNING, "mlx5_0 port 1", "25 Gb/sec (1X EDR), on 1 lane of 4");
    }

    @Test
    void aPortThatIsSplitByRightIsFine() throws IOException {
        file(HCA_TYPE, "MT4123");
        file(PORT + "rate", "100 Gb/sec (2X HDR)");
        aHealthyMachine(" InfiniBand, 100 Gb/sec (2X HDR)");
    }

    @Test
    void aLinkOfAnOlderGenerationThanItsCardIsAWarning() throws IOException {
        file(HCA_TYPE, "MT4119");
        file(PORT + "rate", "56 Gb/sec (4X FDR)");
        expect(Weight.WARNING, "mlx5_0 port 1", "56 Gb/sec (4X FDR), but a ConnectX-5 can do EDR");
    }

    @Test
    void theSameLinkIsFineForACardOfThatGeneration() throws IOException {
        file(HCA_TYPE, "MT4099");
        file(PORT + "rate", "56 Gb/sec (4X FDR)");
        aHealthyMachine("56 Gb/sec (4X FDR)");
    }

    @Test
    void ethernetOfOneLaneIsFine() throws IOException {
        file(HCA_TYPE, "MT4119");
        file(PORT + "link_layer", "Ethernet");
        file(PORT + "rate", "25 Gb/sec (1X EDR)");
        aHealthyMachine("is ACTIVE, Ethernet, 25 Gb/sec (1X EDR)");
    }

    @Test
    void ethernetSlowerThanTheCardIsSoldForIsAWarning() throws IOException {
        file(HCA_TYPE, "MT4119");
        file(PORT + "link_layer", "Ethernet");
        file(PORT + "rate", "10 Gb/sec (1X QDR)");
        expect(Weight.WARNING, "mlx5_0 port 1", "a ConnectX-5 can do 25 Gb/s or more");
    }

    @Test
    void aLinkFasterThanPciExpressIsAWarning() throws IOException {
        file(PCI + "current_link_width", "8");
        file(PCI + "max_link_width", "8");
        expect(Weight.WARNING, "mlx5_0 port 1", "PCI Express at 8.0 GT/s x8 carries only 63 Gb/s");
    }

    @Test
    void aSlowerPciExpressThanTheCardsIsAWarning() throws IOException {
        file(PCI + "max_link_speed", "16.0 GT/s PCIe");
        expect(Weight.WARNING, "mlx5_0", "at 8.0 GT/s x16, but supports 16.0 GT/s x16");
    }

    @Test
    void pciExpressWithoutMaximumIsFine() throws IOException {
        file(PCI + "current_link_speed", "8 GT/s");
        file(PCI + "max_link_speed", "Unknown speed");
        aHealthyMachine("is ACTIVE");
    }

    @Test
    void softwareRdmaHasNeitherCardNorPciExpress() throws IOException {
        Files.delete(root.resolve(PCI + "current_link_speed"));
        file(PORT + "link_layer", "Ethernet");
        file(PORT + "rate", "2.5 Gb/sec (1X SDR)");
        aHealthyMachine("2.5 Gb/sec (1X SDR)");
    }

    private static ExaminedDevice limits(String name, int outstandingReads, boolean atomics) {
        return limits(name, outstandingReads, atomics, WriteOrder.IN_ORDER);
    }

    private static ExaminedDevice limits(String name, int outstandingReads, boolean atomics, WriteOrder writes) {
        return new ExaminedDevice(
                new DeviceLimits(
                        name, "16.35", 1000, 8192, 65536, outstandingReads, outstandingReads, 1L << 40, atomics),
                writes);
    }

    @Test
    void theOrderOfWritesIsReported() {
        assertThat(Examination.ofFiles(root, List.of(limits("mlx5_0", 16, true))))
                .extracting(Diagnosis::words)
                .anyMatch(words -> words.contains("in address order"));
        expect(
                Examination.ofFiles(root, List.of(limits("mlx5_0", 16, true, WriteOrder.ANY))),
                Weight.WARNING,
                "mlx5_0",
                "does not guarantee the order in which the bytes of a WRITE are written");
        expect(
                Examination.ofFiles(root, List.of(limits("mlx5_0", 16, true, WriteOrder.UNKNOWN))),
                Weight.WARNING,
                "mlx5_0",
                "needs rdma-core 36");
    }

    @Test
    void theDevicesLimitsAreReported() {
        assertThat(Examination.ofFiles(root, List.of(limits("mlx5_0", 16, true))))
                .allMatch(finding -> finding.weight() == Weight.FINE)
                .extracting(Diagnosis::words)
                .anyMatch(words -> words.contains("allows 16 outstanding READs"));
    }

    @Test
    void fewerOutstandingReadsThanScenariosRequireAreAWarning() {
        expect(
                Examination.ofFiles(root, List.of(limits("mlx5_0", 4, true))),
                Weight.WARNING,
                "mlx5_0",
                "allows 4 outstanding READs");
    }

    @Test
    void aDeviceWithoutAtomicsIsAWarning() {
        expect(
                Examination.ofFiles(root, List.of(limits("mlx5_0", 16, false))),
                Weight.WARNING,
                "mlx5_0",
                "has no atomics");
    }

    @Test
    void aDeviceThatTheLibrariesDoNotKnowIsAProblem() {
        expect(Examination.ofFiles(root, List.of()), Weight.PROBLEM, "mlx5_0", "apt-get install ibverbs-providers");
    }

    @Test
    void lostLanesOfPciExpressAreAWarning() throws IOException {
        file(PCI + "current_link_width", "8");
        expect(Weight.WARNING, "mlx5_0", "at 8.0 GT/s x8, but supports 8.0 GT/s x16");
    }

    @Test
    void aSmallMtuIsAWarning() throws IOException {
        file(PORT + "link_layer", "Ethernet");
        file(PORT + "gid_attrs/ndevs/0", "eth4");
        file("sys/class/net/eth4/mtu", "1500");
        expect(Weight.WARNING, "mlx5_0 port 1", "at most 1024 bytes: the MTU of eth4 is 1500");
    }

    @Test
    void limitedLockedMemoryIsAWarning() throws IOException {
        file("proc/self/limits", "Max locked memory         67108864             67108864             bytes");
        expect(Weight.WARNING, "locked memory", "67108864 bytes");
    }

    @Test
    void noHugePagesAreAWarning() throws IOException {
        file("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
        expect(Weight.WARNING, "huge pages", "none: the card");
    }

    @Test
    void aProcessThatMayRunFarFromTheCardIsAWarning() throws IOException {
        file("proc/self/status", "Cpus_allowed_list:\t0-7");
        expect(Weight.WARNING, "mlx5_0", "numactl --cpunodebind=0");
    }

    @Test
    void missingDeviceFilesAreAProblem() throws IOException {
        Files.delete(root.resolve("dev/infiniband/rdma_cm"));
        expect(Weight.PROBLEM, "/dev/infiniband/rdma_cm", "modprobe rdma_ucm");
    }
}

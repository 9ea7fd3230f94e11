package org.reprobe.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.verbs.DeviceLimits;
import org.reprobe.verbs.DisniProvider;
import org.reprobe.verbs.ExaminedDevice;
import org.reprobe.verbs.WriteOrder;

/** Examination of a Linux machine's RDMA: libraries, devices, ports, PCI Express, limits and memory. */
public final class Examination {
    private static final String DEVICES = "sys/class/infiniband";

    /** Default of {@code connection.outstanding-reads} in scenarios, as the papers' cards allow. */
    private static final int USUAL_OUTSTANDING_READS = 16;

    /** Smallest MTU for a RoCE packet of 4096 bytes with its headers. */
    private static final int MTU_FOR_4096 = 4200;

    private final KernelFiles files;
    private final List<Diagnosis> findings = new ArrayList<>();

    private Examination(Path root) {
        this.files = new KernelFiles(root);
    }

    /** Returns the findings on this machine, including the libraries' and those on measurement noise. */
    public static List<Diagnosis> ofThisMachine() throws InterruptedException {
        Examination examination = new Examination(Path.of("/"));
        boolean libraries = examination.libraries();
        examination.files();
        if (libraries) {
            examination.limits();
        }
        examination.findings.addAll(MachineNoise.ofThisMachine(0));
        return List.copyOf(examination.findings);
    }

    static List<Diagnosis> ofFiles(Path root) {
        Examination there = new Examination(root);
        there.files();
        return List.copyOf(there.findings);
    }

    static List<Diagnosis> ofFiles(Path root, List<ExaminedDevice> opened) {
        Examination there = new Examination(root);
        there.files();
        there.devices(opened);
        return List.copyOf(there.findings);
    }

    private boolean libraries() {
        try {
            DisniProvider.install();
            findings.add(Diagnosis.fine("libraries", "libibverbs and librdmacm are installed"));
            return true;
        } catch (UnsatisfiedLinkError | NoClassDefFoundError missing) {
            findings.add(Diagnosis.problem("libraries", String.valueOf(missing.getMessage())));
            return false;
        }
    }

    private void limits() {
        try {
            devices(ExaminedDevice.all());
        } catch (IOException e) {
            findings.add(Diagnosis.problem(
                    "devices",
                    "could not be opened: " + e.getMessage() + "; check that this user may read /dev/infiniband"));
        }
    }

    private void devices(List<ExaminedDevice> opened) {
        for (Path device : files.list(DEVICES)) {
            String name = String.valueOf(device.getFileName());
            if (opened.stream().noneMatch(each -> each.limits().name().equals(name))) {
                findings.add(Diagnosis.problem(
                        name,
                        "no driver in libibverbs; on Debian: apt-get install ibverbs-providers; elsewhere install the"
                                + " package rdma-core"));
            }
        }
        for (ExaminedDevice each : opened) {
            DeviceLimits device = each.limits();
            String words =
                    "allows %d outstanding READs per queue pair (serves %d), %d requests per queue, %d completions; firmware %s"
                            .formatted(
                                    device.maxOutstandingReads(),
                                    device.maxOutstandingReadsServed(),
                                    device.maxRequests(),
                                    device.maxCompletions(),
                                    device.firmware().isBlank() ? "none" : device.firmware());
            boolean few = Math.min(device.maxOutstandingReads(), device.maxOutstandingReadsServed())
                    < USUAL_OUTSTANDING_READS;
            findings.add(
                    few
                            ? Diagnosis.warning(
                                    device.name(),
                                    words + ": lower connection.outstanding-reads, whose default is "
                                            + USUAL_OUTSTANDING_READS)
                            : Diagnosis.fine(device.name(), words));
            findings.add(writes(device.name(), each.writes()));
            if (!device.atomics()) {
                findings.add(Diagnosis.warning(
                        device.name(), "has no atomics: schemes that write need COMPARE_AND_SWAP and can't run"));
            }
        }
    }

    private static Diagnosis writes(String device, WriteOrder order) {
        return switch (order) {
            case IN_ORDER ->
                Diagnosis.fine(
                        device,
                        "writes the bytes of a WRITE in address order: schemes that write messages into rings can run");
            case ANY ->
                Diagnosis.warning(
                        device,
                        "does not guarantee the order in which the bytes of a WRITE are written (ibv_query_qp_data_in_order):"
                                + " schemes that write messages into rings are refused");
            case UNKNOWN ->
                Diagnosis.warning(
                        device,
                        "the order in which the bytes of a WRITE are written is unknown: ibv_query_qp_data_in_order needs"
                                + " rdma-core 36; schemes that write messages into rings are refused");
        };
    }

    private void files() {
        List<Path> devices = files.list(DEVICES);
        if (devices.isEmpty()) {
            findings.add(Diagnosis.problem(
                    "devices",
                    "no RDMA device. With a card: load its driver (mlx5_ib, irdma, bnxt_re, ...). Without: software RDMA"
                            + " is \"rdma link add rxe0 type rxe netdev NETDEV\" as root, or ./run.sh vm"));
        }
        deviceFiles(!devices.isEmpty());
        for (Path device : devices) {
            device(device);
        }
        lockedMemory();
        hugePages();
    }

    private void deviceFiles(boolean devices) {
        boolean verbs = files.list("dev/infiniband").stream()
                .anyMatch(file -> file.getFileName().toString().startsWith("uverbs"));
        if (devices && !verbs) {
            findings.add(Diagnosis.problem(
                    "/dev/infiniband", "has no uverbs files: load the kernel module ib_uverbs (modprobe ib_uverbs)"));
        }
        if (devices && !files.exists("dev/infiniband/rdma_cm")) {
            findings.add(Diagnosis.problem(
                    "/dev/infiniband/rdma_cm", "is missing: load the kernel module rdma_ucm (modprobe rdma_ucm)"));
        }
    }

    private void device(Path device) {
        String name = String.valueOf(device.getFileName());
        PciLink pci = pci(name, device.resolve("device"));
        Optional<CardKind> kind = CardKind.of(KernelFiles.read(device.resolve("hca_type")));
        for (Path port : KernelFiles.list(device.resolve("ports"))) {
            port(name + " port " + port.getFileName(), port, kind, pci);
        }
        String node = KernelFiles.read(device.resolve("device/numa_node"));
        if (!node.isEmpty()
                && !node.startsWith("-")
                && files.list("sys/devices/system/node").stream()
                                .filter(file -> file.getFileName().toString().matches("node\\d+"))
                                .count()
                        > 1) {
            String own = files.read("sys/devices/system/node/node" + node + "/cpulist");
            Set<Integer> allowed = ProcessorList.parse(statusLine("Cpus_allowed_list:"));
            boolean elsewhere = !own.isEmpty()
                    && !allowed.isEmpty()
                    && !ProcessorList.parse(own).containsAll(allowed);
            String words = "is at NUMA node " + node + ", processors " + own;
            findings.add(
                    elsewhere
                            ? Diagnosis.warning(
                                    name,
                                    words + "; this process may run on other nodes: start with numactl --cpunodebind="
                                            + node + " --membind=" + node)
                            : Diagnosis.fine(name, words));
        }
    }

    private void port(String name, Path port, Optional<CardKind> kind, @Nullable PciLink pci) {
        String state = KernelFiles.read(port.resolve("state")).replaceFirst("^\\d+: ", "");
        String layer = KernelFiles.read(port.resolve("link_layer"));
        if (!state.equals("ACTIVE")) {
            findings.add(Diagnosis.problem(
                    name,
                    "is " + (state.isEmpty() ? "in an unknown state" : state) + ": "
                            + (state.equals("INIT") && layer.equals("InfiniBand")
                                    ? "no subnet manager has configured it (opensm, or the switch's)"
                                    : "check the cable and the interface (ip link set NETDEV up)")));
            return;
        }
        String rate = KernelFiles.read(port.resolve("rate"));
        String slow = slow(PortRate.parse(rate), layer, kind, pci);
        findings.add(
                slow.isEmpty()
                        ? Diagnosis.fine(name, "is ACTIVE, " + layer + (rate.isEmpty() ? "" : ", " + rate))
                        : Diagnosis.warning(name, "runs at " + rate + slow));
        String netdev = KernelFiles.read(port.resolve("gid_attrs/ndevs/0"));
        String mtu = netdev.isEmpty() ? "" : files.read("sys/class/net/" + netdev + "/mtu");
        if (layer.equals("Ethernet") && mtu.matches("\\d+") && Integer.parseInt(mtu) < MTU_FOR_4096) {
            findings.add(Diagnosis.warning(
                    name,
                    "sends packets of at most " + rdmaMtu(Integer.parseInt(mtu)) + " bytes: the MTU of " + netdev
                            + " is "
                            + mtu + ". For 4096 bytes set it to " + MTU_FOR_4096
                            + " or more on both hosts and the switch (ip link"
                            + " set " + netdev + " mtu 9000)"));
        }
    }

    private static String slow(@Nullable PortRate rate, String layer, Optional<CardKind> kind, @Nullable PciLink pci) {
        if (rate == null) {
            return "";
        }
        if (layer.equals("InfiniBand") && rate.hasLostLanes()) {
            return ", on " + Quantities.count(rate.lanes(), "lane") + " of 4: check the cable and the switch";
        }
        if (kind.isPresent()) {
            CardKind card = kind.get();
            if (layer.equals("InfiniBand") && rate.isSlowerThan(card.infiniBand())) {
                return ", but a " + card.title() + " can do " + card.infiniBand()
                        + ": check that cable and switch support this (iblinkinfo shows both ends)";
            }
            if (layer.equals("Ethernet") && rate.gigabitsPerS() < card.minEthernetGigabitsPerS()) {
                return ", but a " + card.title() + " can do " + card.minEthernetGigabitsPerS()
                        + " Gb/s or more: check that cable and switch support this (ethtool NETDEV shows both ends)";
            }
        }
        if (pci != null && pci.gigabitsPerS() < rate.gigabitsPerS()) {
            return ", but PCI Express at %s carries only %.0f Gb/s: the card needs a wider or faster slot"
                    .formatted(pci, pci.gigabitsPerS());
        }
        return "";
    }

    /** Returns the largest RDMA MTU whose packets fit: headers take up to 72 bytes. */
    private static int rdmaMtu(int mtu) {
        int fits = 256;
        while (fits * 2 <= Math.min(4096, mtu - 72)) {
            fits *= 2;
        }
        return fits;
    }

    /** Returns a card's PCI Express link; null if unknown, as for software RDMA, or if its problem is reported. */
    private @Nullable PciLink pci(String name, Path pci) {
        PciLink link = PciLink.parse(
                KernelFiles.read(pci.resolve("current_link_speed")),
                KernelFiles.read(pci.resolve("current_link_width")));
        PciLink max = PciLink.parse(
                KernelFiles.read(pci.resolve("max_link_speed")), KernelFiles.read(pci.resolve("max_link_width")));
        if (link == null) {
            return null;
        }
        String words = "is connected by PCI Express at " + link;
        if (max != null && link.isBelow(max)) {
            findings.add(Diagnosis.warning(
                    name, words + ", but supports " + max + ": another slot, or a setting of the BIOS"));
            return null;
        }
        findings.add(Diagnosis.fine(name, words));
        return link;
    }

    private void lockedMemory() {
        for (String line : files.lines("proc/self/limits")) {
            if (line.startsWith("Max locked memory")) {
                String soft =
                        line.substring("Max locked memory".length()).strip().split("\\s+", -1)[0];
                findings.add(
                        soft.equals("unlimited")
                                ? Diagnosis.fine("locked memory", "is unlimited")
                                : Diagnosis.warning(
                                        "locked memory",
                                        "is limited to " + soft
                                                + " bytes, but registered memory must be locked: ulimit -l unlimited;"
                                                + " permanently in /etc/security/limits.conf"));
            }
        }
    }

    private void hugePages() {
        String transparent = files.read("sys/kernel/mm/transparent_hugepage/enabled");
        boolean reserved =
                files.lines("proc/meminfo").stream().anyMatch(line -> line.matches("HugePages_Total:\\s+[1-9].*"));
        if (reserved || transparent.contains("[always]") || transparent.contains("[madvise]")) {
            findings.add(Diagnosis.fine("huge pages", "are available"));
        } else {
            findings.add(Diagnosis.warning(
                    "huge pages",
                    "none: the card needs 512 times as many address translations; as root, echo madvise >"
                            + " /sys/kernel/mm/transparent_hugepage/enabled"));
        }
    }

    private String statusLine(String start) {
        return files.lines("proc/self/status").stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()).strip())
                .findFirst()
                .orElse("");
    }
}

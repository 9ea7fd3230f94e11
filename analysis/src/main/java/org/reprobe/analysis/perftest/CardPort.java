package org.reprobe.analysis.perftest;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.perftest.Device.Fact;
import org.reprobe.analysis.perftest.Device.Program;

/** Port, limits and slot of the card that perftest used, as far as the outputs of other programs have them. */
final class CardPort {
    /** Rate of InfiniBand links up to which 8 of 10 bits are data; 64 of 66 above. */
    private static final double LAST_8B10B_GB = 40;

    private static final double LAST_14G_GB = 56;

    private static final int INFINIBAND_RESPONSE_BYTES = 30;
    private static final int INFINIBAND_REQUEST_BYTES = 42;
    private static final int ROCE_RESPONSE_BYTES = 86;
    private static final int ROCE_REQUEST_BYTES = 98;
    private static final int DEFAULT_MTU_BYTES = 4096;
    private static final double LAST_8B10B_GT = 5;
    private static final int BUS_HEADER_BYTES = 24;
    private static final double USUAL_BUS_PACKET_BYTES = 256;

    private final CardOutputs outputs;
    private final @Nullable String device;

    CardPort(CardOutputs outputs) {
        this.outputs = outputs;
        this.device = outputs.runs().stream()
                .map(run -> run.settings().device())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Value with its source. */
    record Known(double value, String source) {}

    private Optional<Device> of(Program program) {
        return outputs.devices().stream()
                .filter(one -> one.program() == program)
                .min(Comparator.comparingInt(one -> one.name().equals(device) || isRdmaCard(one.name()) ? 0 : 1));
    }

    private static boolean isRdmaCard(String description) {
        return description.contains("ConnectX")
                || description.contains("BlueField")
                || description.contains("Mellanox");
    }

    Optional<Fact> fact(Program program, String name) {
        return of(program).map(one -> one.facts().get(name));
    }

    private Optional<Known> number(Program program, String name) {
        return fact(program, name)
                .map(fact -> new Known(
                        Objects.requireNonNull(fact.number()), fact.origin() + " " + program.command() + " " + name));
    }

    /** Returns a whole number of ibv_devinfo. */
    Optional<Known> limit(String name) {
        return number(Program.IBV_DEVINFO, name);
    }

    boolean isEthernet() {
        for (PerftestRun run : outputs.runs()) {
            if (run.settings().link() != null) {
                return "Ethernet".equals(run.settings().link());
            }
        }
        return fact(Program.IBV_DEVINFO, "link_layer")
                .or(() -> fact(Program.IBSTAT, "Link layer"))
                .map(fact -> fact.value().equals("Ethernet"))
                .orElse(false);
    }

    Optional<Known> mtuBytes() {
        for (PerftestRun run : outputs.runs()) {
            Integer mtu = run.settings().mtuBytes();
            if (mtu != null) {
                return Optional.of(
                        new Known(mtu, run.origin() + " " + run.program().command() + " Mtu"));
            }
        }
        return limit("active_mtu");
    }

    int responseHeaderBytes() {
        return isEthernet() ? ROCE_RESPONSE_BYTES : INFINIBAND_RESPONSE_BYTES;
    }

    int requestHeaderBytes() {
        return isEthernet() ? ROCE_REQUEST_BYTES : INFINIBAND_REQUEST_BYTES;
    }

    String headerSource() {
        return isEthernet()
                ? "RoCE v2: Ethernet 14, IP 20, UDP 8, BTH 12, ICRC 4, 24 of FCS, preamble and gap, and RETH 16 or AETH 4"
                : "InfiniBand specification: LRH 8, BTH 12, CRCs 6, and RETH 16 or AETH 4";
    }

    /** Returns the port's rate in Gb/s, as printed. */
    Optional<Known> rateGb() {
        return number(Program.IBSTAT, "Rate")
                .or(() -> limit("active_speed")
                        .flatMap(speed -> limit("active_width")
                                .map(width ->
                                        new Known(speed.value() * width.value(), speed.source() + " x active_width"))));
    }

    /** Returns the bytes per second that the port can carry, with headers. */
    Optional<Known> linkBytesPerSecond() {
        return rateGb().map(rate -> new Known(
                rate.value()
                        / 8
                        * 1e9
                        * (isEthernet() || rate.value() > LAST_14G_GB
                                ? 1
                                : rate.value() > LAST_8B10B_GB ? 64.0 / 66 : 0.8),
                rate.source() + " " + rate.value() + " Gb/s"));
    }

    /** Returns the slot's bytes per second, with the headers of bus packets. */
    Optional<Known> slotBytesPerSecond() {
        Optional<Fact> speed = fact(Program.LSPCI, "speed");
        Optional<Fact> width = fact(Program.LSPCI, "width");
        if (speed.isEmpty() || width.isEmpty()) {
            return Optional.empty();
        }
        double gigatransfers = Objects.requireNonNull(speed.get().number());
        double lanes = Objects.requireNonNull(width.get().number());
        return Optional.of(new Known(
                gigatransfers * 1e9 * lanes / 8 * (gigatransfers <= LAST_8B10B_GT ? 0.8 : 128.0 / 130),
                speed.get().origin() + " lspci LnkSta " + speed.get().value() + " GT/s x"
                        + width.get().value()));
    }

    /** Returns the payload of a full bus packet. */
    Optional<Known> busPacketBytes() {
        return number(Program.LSPCI, "MaxPayload");
    }

    /** Returns the largest rate of payload over a slot of a rate with headers. */
    double payloadOfSlot(double slotBytesPerSecond) {
        return slotBytesPerSecond
                / (1 + BUS_HEADER_BYTES / busPacketBytes().map(Known::value).orElse(USUAL_BUS_PACKET_BYTES));
    }

    /** Returns the largest rate of payload over a link of a rate with headers. */
    double payloadOf(double linkBytesPerSecond) {
        double mtu = mtuBytes().map(Known::value).orElse((double) DEFAULT_MTU_BYTES);
        return linkBytesPerSecond / (1 + responseHeaderBytes() / mtu);
    }

    /** Returns the inverse of {@link #payloadOf}. */
    double linkOf(double payloadBytesPerSecond) {
        return payloadBytesPerSecond / payloadOf(1);
    }

    /** Returns all parts that name the card: the part's number, the card's type, its name on the bus. */
    List<Fact> names() {
        return Stream.of(
                        fact(Program.IBV_DEVINFO, "vendor_part_id"),
                        fact(Program.IBSTAT, "CA type"),
                        of(Program.LSPCI).map(one -> new Fact(one.name(), one.origin())))
                .flatMap(Optional::stream)
                .toList();
    }
}

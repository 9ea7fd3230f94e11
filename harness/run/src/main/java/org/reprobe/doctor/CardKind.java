package org.reprobe.doctor;

import java.util.Arrays;
import java.util.Optional;

/**
 * Capabilities of kinds of cards, since sysfs reports those of a link only. Keyed by sysfs's {@code hca_type}: MT and
 * the PCI device number. The generations are those of NVIDIA's product briefs.
 */
enum CardKind {
    CONNECTX_3("MT4099", "ConnectX-3", "FDR", 10),
    CONNECTX_3_PRO("MT4103", "ConnectX-3 Pro", "FDR", 10),
    CONNECT_IB("MT4113", "Connect-IB", "FDR", 0),
    CONNECTX_4("MT4115", "ConnectX-4", "EDR", 25),
    CONNECTX_4_LX("MT4117", "ConnectX-4 Lx", "", 10),
    CONNECTX_5("MT4119", "ConnectX-5", "EDR", 25),
    CONNECTX_5_EX("MT4121", "ConnectX-5 Ex", "EDR", 25),
    CONNECTX_6("MT4123", "ConnectX-6", "HDR", 25),
    CONNECTX_6_DX("MT4125", "ConnectX-6 Dx", "", 25),
    CONNECTX_6_LX("MT4127", "ConnectX-6 Lx", "", 25),
    CONNECTX_7("MT4129", "ConnectX-7", "NDR", 25);

    private final String hcaType;
    private final String title;
    private final String infiniBand;
    private final int minEthernetGigabitsPerS;

    CardKind(String hcaType, String title, String infiniBand, int minEthernetGigabitsPerS) {
        this.hcaType = hcaType;
        this.title = title;
        this.infiniBand = infiniBand;
        this.minEthernetGigabitsPerS = minEthernetGigabitsPerS;
    }

    static Optional<CardKind> of(String hcaType) {
        return Arrays.stream(values())
                .filter(kind -> kind.hcaType.equals(hcaType))
                .findFirst();
    }

    String title() {
        return title;
    }

    /** Returns the fastest generation of its InfiniBand ports; empty without such ports. */
    String infiniBand() {
        return infiniBand;
    }

    /** Returns the slowest Ethernet speed at which such cards are sold. */
    int minEthernetGigabitsPerS() {
        return minEthernetGigabitsPerS;
    }
}

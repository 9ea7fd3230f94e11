package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/** Selection among this machine's addresses that belong to an RDMA device. */
final class RdmaAddresses {
    /** System property that selects the address on a machine with several. */
    static final String PROPERTY = "reprobe.verbs.address";

    private static final String VARIABLE = "REPROBE_VERBS_ADDRESS";

    private RdmaAddresses() {}

    /** Returns the user's address, else the preferred one if it belongs to an RDMA device, else the first that does. */
    static InetAddress choose(@Nullable String preferred) throws FabricException {
        String named = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        if (named != null && !named.isBlank()) {
            try {
                return InetAddress.getByName(named);
            } catch (UnknownHostException e) {
                throw new FabricException("the address \"" + named + "\" that " + VARIABLE + " names is unknown", e);
            }
        }
        List<InetAddress> candidates = ofThisMachine();
        candidates.sort(
                Comparator.comparing(address -> !address.getHostAddress().equals(preferred)));
        for (InetAddress candidate : candidates) {
            if (hasDevice(candidate)) {
                return candidate;
            }
        }
        throw new FabricException("no RDMA device has an IP address here; looked at "
                + (candidates.isEmpty() ? "none" : names(candidates))
                + ". ./run.sh doctor lists what is missing; ./run.sh vm has software RDMA");
    }

    private static String names(List<InetAddress> addresses) {
        return String.join(
                ", ", addresses.stream().map(InetAddress::getHostAddress).toList());
    }

    private static List<InetAddress> ofThisMachine() throws FabricException {
        List<InetAddress> all = new ArrayList<>();
        try {
            for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
                if (network.isUp() && !network.isLoopback()) {
                    network.inetAddresses().forEach(all::add);
                }
            }
        } catch (IOException e) {
            throw Cm.failed("listing this machine's addresses", e);
        }
        all.sort(Comparator.comparing(address -> !(address instanceof Inet4Address)));
        return all;
    }

    private static boolean hasDevice(InetAddress address) throws FabricException {
        try {
            RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
            try {
                RdmaCmId id = channel.createId(RdmaCm.RDMA_PS_TCP);
                try {
                    id.bindAddr(new InetSocketAddress(address, 0));
                    return id.getVerbs() != null;
                } catch (IOException _) {
                    return false; // not an address of an RDMA device
                } finally {
                    id.destroyId();
                }
            } finally {
                channel.destroyEventChannel();
            }
        } catch (IOException e) {
            throw new FabricException(
                    "this machine's RDMA can't be used: " + e.getMessage()
                            + ". ./run.sh doctor lists what is missing; ./run.sh vm has software RDMA",
                    e);
        }
    }
}

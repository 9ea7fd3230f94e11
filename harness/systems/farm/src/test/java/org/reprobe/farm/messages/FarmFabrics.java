package org.reprobe.farm.messages;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.testing.Project;

/** Fabrics by name, whose machines both serve and send requests. */
public final class FarmFabrics {
    private FarmFabrics() {}

    public static Fabric open(String name, int machines) throws Exception {
        TcpSettings settings = TcpSettings.defaults();
        List<FabricServer> servers = new ArrayList<>();
        for (int i = 0; i < machines && !name.equals("sim"); i++) {
            servers.add(name.equals("shm") ? ShmServer.open() : TcpServer.onLoopback(settings));
        }
        return switch (name) {
            case "sim" ->
                new SimFabric(
                        NicProfiles.load(Project.path("scenarios/nics"), "connectx3-farm")
                                .with(NicProfile.SetUp.NONE),
                        Placement.together(machines),
                        3);
            case "shm" -> new LocalFabric("shm", servers, ShmClients::connect);
            default -> new LocalFabric("tcp", servers, endpoints -> new TcpClients(endpoints, settings));
        };
    }
}

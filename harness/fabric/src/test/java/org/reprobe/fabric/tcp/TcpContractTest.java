package org.reprobe.fabric.tcp;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;

/** The contract over sockets, with the default transport. */
class TcpContractTest extends FabricContract {

    @Override
    protected Fabric open(int servers) {
        return open(servers, Transport.best());
    }

    static Fabric open(int servers, Transport transport) {
        TcpSettings settings = TcpSettings.defaults().with(transport);
        List<TcpServer> opened = new ArrayList<>();
        try {
            for (int server = 0; server < servers; server++) {
                opened.add(TcpServer.onLoopback(settings));
            }
            return new LocalFabric("tcp", opened, reached -> new TcpClients(reached, settings));
        } catch (FabricException e) {
            throw new AssertionError(e);
        }
    }
}

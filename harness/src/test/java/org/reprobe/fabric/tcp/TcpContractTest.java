package org.reprobe.fabric.tcp;

import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;

/** The contract over sockets, with the transport that is chosen by itself. */
class TcpContractTest extends FabricContract {

    @Override
    protected Fabric open() {
        return open(Transport.best());
    }

    static Fabric open(Transport transport) {
        TcpSettings settings = TcpSettings.defaults().with(transport);
        try {
            return new LocalFabric(
                    "tcp", TcpServer.onLoopback(settings), endpoint -> new TcpClients(endpoint, settings));
        } catch (FabricException e) {
            throw new AssertionError(e);
        }
    }
}

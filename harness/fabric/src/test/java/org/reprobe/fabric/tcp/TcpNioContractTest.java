package org.reprobe.fabric.tcp;

import org.junit.jupiter.api.condition.EnabledIf;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;

@EnabledIf("available")
class TcpNioContractTest extends FabricContract {

    static boolean available() {
        return Transport.NIO.available();
    }

    @Override
    protected Fabric open(int servers) {
        return TcpContractTest.open(servers, Transport.NIO);
    }
}

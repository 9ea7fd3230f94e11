package org.reprobe.fabric.tcp;

import org.junit.jupiter.api.condition.EnabledIf;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;

/** The contract over sockets, with IO_URING. */
@EnabledIf("available")
class TcpIoUringContractTest extends FabricContract {

    static boolean available() {
        return Transport.IO_URING.available();
    }

    @Override
    protected Fabric open(int servers) {
        return TcpContractTest.open(servers, Transport.IO_URING);
    }
}

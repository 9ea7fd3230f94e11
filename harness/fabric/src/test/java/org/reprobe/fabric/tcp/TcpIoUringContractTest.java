package org.reprobe.fabric.tcp;

import org.junit.jupiter.api.condition.EnabledIf;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.testing.NotTested;

@EnabledIf("available")
class TcpIoUringContractTest extends FabricContract {

    static boolean available() {
        return NotTested.unless(
                Transport.IO_URING.available(), "io_uring", "sockets by io_uring. This kernel has none or refuses it");
    }

    @Override
    protected Fabric open(int servers) {
        return TcpContractTest.open(servers, Transport.IO_URING);
    }
}

package org.reprobe.fabric.shm;

import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;

/** The contract over shared memory, server and clients in one process. */
class ShmContractTest extends FabricContract {

    @Override
    protected Fabric open() {
        try {
            return new LocalFabric("shm", ShmServer.open(), ShmClients::connect);
        } catch (FabricException e) {
            throw new IllegalStateException(e);
        }
    }
}

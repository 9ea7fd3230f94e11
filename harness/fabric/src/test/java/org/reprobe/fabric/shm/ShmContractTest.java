package org.reprobe.fabric.shm;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;

class ShmContractTest extends FabricContract {

    @Override
    protected Fabric open(int servers) {
        List<ShmServer> opened = new ArrayList<>();
        try {
            for (int server = 0; server < servers; server++) {
                opened.add(ShmServer.open());
            }
            return new LocalFabric("shm", opened, ShmClients::connect);
        } catch (FabricException e) {
            throw new IllegalStateException(e);
        }
    }
}

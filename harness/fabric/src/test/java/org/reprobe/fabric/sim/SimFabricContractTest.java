package org.reprobe.fabric.sim;

import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;

/** The contract on the simulated card. */
class SimFabricContractTest extends FabricContract {

    @Override
    protected Fabric open(int servers) {
        return servers == 1
                ? new SimFabric(TestCard.plain(), 1, 1)
                : new SimFabric(TestCard.plain(), Placement.together(servers), 1);
    }
}

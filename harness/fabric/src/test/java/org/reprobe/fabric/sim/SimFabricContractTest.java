package org.reprobe.fabric.sim;

import java.util.List;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.fabric.Fault;

class SimFabricContractTest extends FabricContract {

    @Override
    protected Fabric open(int servers) {
        return servers == 1
                ? new SimFabric(TestCard.plain(), 1, 1)
                : new SimFabric(TestCard.plain(), Placement.together(servers), 1);
    }

    @Override
    protected Fabric openToFail() {
        Fault.Machine second = new Fault.Machine(true, 1);
        return new SimFabric(TestCard.plain(), Placement.together(2), 1)
                .withFaults(
                        List.of(new Fault.Crash(second, 20_000, Long.MAX_VALUE, true)),
                        new RetransmissionTimes(50_000));
    }
}

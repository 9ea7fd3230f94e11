package org.reprobe.fabric.verbs;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricContract;
import org.reprobe.fabric.FabricException;

/** The contract on real verbs. Needs an RDMA device: {@link VerbsInGuestTest} runs it where there is one. */
class VerbsContractInGuest extends FabricContract {
    private @org.jspecify.annotations.Nullable List<Fabric> opened;

    @Override
    protected Fabric open(int servers) {
        try {
            Fabric fabric = VerbsFabric.open(servers);
            if (opened == null) { // called by the constructor of the class above
                opened = new ArrayList<>();
            }
            opened.add(fabric);
            return fabric;
        } catch (FabricException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    /** The card reports only the end of a connection. */
    @Override
    protected boolean distinguishesDeathsFromOrderlyEnds() {
        return false;
    }

    @AfterEach
    void closeAll() {
        if (opened != null) {
            opened.forEach(Fabric::close);
        }
    }
}

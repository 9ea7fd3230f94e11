package org.reprobe.explore;

import org.reprobe.fabric.Client;

/** A client whose every wait is ended by a scheduler. */
final class ExploredClient extends ExploredRequester implements Client {
    private final int index;

    ExploredClient(World world, int index) {
        super(world);
        this.index = index;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean isLocal(int server) {
        return world().isOn(index, server);
    }

    @Override
    public void barrier() {
        program().block(Program.Wait.BARRIER, null);
    }
}

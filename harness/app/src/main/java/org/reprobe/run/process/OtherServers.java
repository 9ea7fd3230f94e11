package org.reprobe.run.process;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RunOverException;
import org.reprobe.fabric.Servers;
import org.reprobe.run.Fabrics;

/**
 * The servers of a run in other processes, for the program of one of them. It begins before all are prepared: who asks others by then
 * waits until this process is told of them.
 */
final class OtherServers implements Peers, AutoCloseable {
    private final String fabric;
    private final int own;
    private final CompletableFuture<List<String>> endpoints = new CompletableFuture<>();
    private volatile @Nullable FabricClients half;

    /** @param own the number of the server of this process */
    OtherServers(String fabric, int own) {
        this.fabric = fabric;
        this.own = own;
    }

    /** All of them are prepared. */
    void meet(List<String> endpoints) {
        this.endpoints.complete(endpoints);
    }

    @Override
    public int own() {
        return own;
    }

    @Override
    public Peer join() throws FabricException, InterruptedException {
        try {
            FabricClients here = Fabrics.connect(fabric, new Servers(endpoints.get(), own));
            half = here;
            return here.join(own);
        } catch (CancellationException | ExecutionException e) {
            throw new RunOverException("the run was ended", e);
        }
    }

    /** Ends the program's connections to them, after the program. */
    @Override
    public void close() {
        endpoints.cancel(false);
        FabricClients here = half;
        if (here != null) {
            here.close();
        }
    }
}

package org.reprobe.fabric;

import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server program on a thread of its own. */
public final class Serving implements AutoCloseable {
    private final FutureTask<@Nullable Void> task;
    private final CountDownLatch begun = new CountDownLatch(1);

    private Serving(FabricServer server, int clients, ServerProgram program, Peers peers, Consumer<Throwable> failed) {
        this.task = new FutureTask<>(() -> {
            try {
                server.serve(
                        clients,
                        here -> {
                            begun.countDown();
                            try {
                                program.run(here);
                            } catch (Throwable e) {
                                failed.accept(e);
                                throw e;
                            }
                        },
                        peers);
            } finally {
                begun.countDown();
            }
            return null;
        });
    }

    /**
     * Starts a program, and returns when it takes the connections that clients make from now on.
     *
     * @param clients as for {@link FabricServer#serve}
     */
    public static Serving begin(FabricServer server, int clients, ServerProgram program) throws InterruptedException {
        return begin(server, clients, program, Peers.NONE, _ -> {});
    }

    /**
     * The same for those who must know of a failure before they ask.
     *
     * @param peers how the program reaches other servers
     * @param failed is told what the program throws, before the fabric tells the clients anything
     */
    public static Serving begin(
            FabricServer server, int clients, ServerProgram program, Peers peers, Consumer<Throwable> failed)
            throws InterruptedException {
        Serving serving = new Serving(server, clients, program, peers, failed);
        Thread.ofPlatform().name("server").daemon().start(serving.task);
        serving.begun.await();
        return serving;
    }

    /**
     * Waits until the program has returned.
     *
     * @throws FabricException why it has failed
     */
    public void await() throws FabricException, InterruptedException {
        try {
            await(Long.MAX_VALUE);
        } catch (TimeoutException e) {
            throw new AssertionError("three hundred million years", e);
        }
    }

    /**
     * Waits for so long at most.
     *
     * @throws FabricException why the program has failed
     * @throws TimeoutException when it still runs
     */
    public void await(long maxMs) throws FabricException, InterruptedException, TimeoutException {
        try {
            task.get(maxMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failure(Objects.requireNonNull(e.getCause()));
        }
    }

    /** What a program throws, in words. */
    public static FabricException failure(Throwable thrown) {
        return thrown instanceof FabricException inWords
                ? inWords
                : new FabricException("the server program failed: " + thrown, thrown);
    }

    /** Whether the program has returned or failed. */
    public boolean isOver() {
        return task.isDone();
    }

    /** Ends the program if it still runs. */
    @Override
    public void close() {
        task.cancel(true);
    }
}

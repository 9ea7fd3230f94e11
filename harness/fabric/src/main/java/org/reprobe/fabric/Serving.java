package org.reprobe.fabric;

import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Server program on its own thread. */
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

    /** Starts a program and returns once {@code clients} clients can connect to it. */
    public static Serving begin(FabricServer server, int clients, ServerProgram program) throws InterruptedException {
        return begin(server, clients, program, Peers.NONE, _ -> {});
    }

    /** Starts a program. Its exception is passed to {@code failed} before the fabric notifies clients. */
    public static Serving begin(
            FabricServer server, int clients, ServerProgram program, Peers peers, Consumer<Throwable> failed)
            throws InterruptedException {
        Serving serving = new Serving(server, clients, program, peers, failed);
        Thread.ofPlatform().name("server").daemon().start(serving.task);
        serving.begun.await();
        return serving;
    }

    /** Waits until the program has returned; throws a {@link FabricException} if it failed. */
    public void await() throws FabricException, InterruptedException {
        try {
            await(Long.MAX_VALUE);
        } catch (TimeoutException e) {
            throw new AssertionError("timeout of a wait without limit", e);
        }
    }

    /** Waits like {@link #await()}, but throws a {@link TimeoutException} after {@code maxMs}. */
    public void await(long maxMs) throws FabricException, InterruptedException, TimeoutException {
        try {
            task.get(maxMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failure(Objects.requireNonNull(e.getCause()));
        }
    }

    /** Converts a program's exception to one with a message for users. */
    public static FabricException failure(Throwable thrown) {
        return thrown instanceof FabricException inWords
                ? inWords
                : new FabricException("the server program failed: " + thrown, thrown);
    }

    public boolean isOver() {
        return task.isDone();
    }

    @Override
    public void close() {
        task.cancel(true);
    }
}

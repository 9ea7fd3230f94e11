package org.reprobe.testing;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Part of a test in a thread of its own, whose exceptions and failed assertions {@link #join} rethrows. */
public final class Background {
    private static final long LIMIT_S = 60;

    private final FutureTask<@Nullable Void> task;

    private Background(FutureTask<@Nullable Void> task) {
        this.task = task;
    }

    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    public static Background start(Work work) {
        FutureTask<@Nullable Void> task = new FutureTask<>(() -> {
            work.run();
            return null;
        });
        Thread.ofPlatform().daemon().name("background").start(task);
        return new Background(task);
    }

    /** Waits up to a minute for its end, and rethrows its exception. */
    public void join() throws Exception {
        try {
            task.get(LIMIT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Error failed -> throw failed;
                case Exception failed -> throw failed;
                case null, default -> throw e;
            }
        } catch (TimeoutException e) {
            throw new AssertionError("a thread of the test has not ended within " + LIMIT_S + " s", e);
        }
    }
}

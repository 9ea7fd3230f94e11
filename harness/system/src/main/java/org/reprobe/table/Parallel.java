package org.reprobe.table;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Execution of numbered tasks on several threads, in any order. */
final class Parallel {
    private Parallel() {}

    /** Runs tasks 0 to {@code tasks - 1} on this thread and {@code threads - 1} others until all are complete. */
    static void run(int threads, int tasks, IntConsumer task) {
        AtomicInteger next = new AtomicInteger();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Runnable worker = () -> {
            try {
                for (int i = next.getAndIncrement(); i < tasks && failure.get() == null; i = next.getAndIncrement()) {
                    task.accept(i);
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        };
        Thread[] others = new Thread[Math.max(0, Math.min(threads, tasks) - 1)];
        for (int i = 0; i < others.length; i++) {
            others[i] = Thread.ofPlatform().daemon().name("table-builder-" + i).start(worker);
        }
        worker.run();
        boolean interrupted = false;
        for (Thread other : others) {
            while (other.isAlive()) {
                try {
                    other.join();
                } catch (InterruptedException e) {
                    interrupted = true; // the caller may free the memory that the threads write, so they are awaited
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Throwable thrown = failure.get();
        switch (thrown) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(thrown);
        }
    }
}

package org.reprobe.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl-C and a polite kill: the first asks the program to end in order, the second ends it at once. Java names the class
 * for that without promising it, hence by reflection; without it the JVM ends at once, which loses no stored run.
 */
final class Interrupts {
    private static final int INT = 2;
    private static final int TERM = 15;
    /** A batch system tells a script and what it runs, and the script tells it again. */
    private static final long SAME_TERM_NS = 5_000_000_000L;

    private final AtomicInteger signal = new AtomicInteger();
    private volatile long firstNs;

    private Interrupts() {}

    /** Calls {@code stop} on the first signal. */
    static Interrupts on(Runnable stop) {
        Interrupts interrupts = new Interrupts();
        interrupts.handle("INT", INT, stop);
        interrupts.handle("TERM", TERM, stop);
        return interrupts;
    }

    /** 130 after Ctrl-C, 143 after a kill, 0 when nothing came. */
    int exitCode() {
        return signal.get() == 0 ? 0 : 128 + signal.get();
    }

    private void handle(String name, int number, Runnable stop) {
        try {
            Class<?> signals = Class.forName("sun.misc.Signal");
            Class<?> handlers = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    Interrupts.class.getClassLoader(), new Class<?>[] {handlers}, (proxy, method, arguments) -> {
                        if (signal.compareAndSet(0, number)) {
                            firstNs = System.nanoTime();
                            stop.run();
                        } else if (number != TERM || System.nanoTime() - firstNs > SAME_TERM_NS) {
                            Runtime.getRuntime().halt(128 + number);
                        }
                        return null;
                    });
            signals.getMethod("handle", signals, handlers)
                    .invoke(null, signals.getConstructor(String.class).newInstance(name), handler);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            if (e instanceof InvocationTargetException && e.getCause() instanceof Error error) {
                throw error;
            }
            // No such class, or the signal is ignored by whoever started us.
        }
    }
}

package org.reprobe.cli.base;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Handling of SIGINT, SIGTERM and SIGHUP: the first signal ends the program in an orderly way, the second at once. The
 * JDK class for signals is unsupported, hence reflection; without it the JVM ends at once, which loses no stored run.
 */
public final class Interrupts {
    private static final int HUP = 1;
    private static final int INT = 2;
    private static final int TERM = 15;
    /** Interval in which a second SIGTERM is a copy: a script forwards the signal that a batch system sends to both. */
    private static final long SAME_TERM_NS = 5_000_000_000L;
    /** Timeout of the work at the JVM's end. */
    private static final long ENDING_MS = 3_000;

    private final AtomicInteger signal = new AtomicInteger();
    private volatile long firstNs;

    private Interrupts() {}

    public static Interrupts on(Runnable stop) {
        return on(stop, () -> {});
    }

    /** Calls {@code stop} on the first signal, and {@code atOnce} on the second, before the JVM ends. */
    public static Interrupts on(Runnable stop, Runnable atOnce) {
        Interrupts interrupts = new Interrupts();
        interrupts.handle("HUP", HUP, stop, atOnce);
        interrupts.handle("INT", INT, stop, atOnce);
        interrupts.handle("TERM", TERM, stop, atOnce);
        return interrupts;
    }

    /** Returns 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP, 0 without a signal. */
    public int exitCode() {
        return signal.get() == 0 ? 0 : 128 + signal.get();
    }

    private void handle(String name, int number, Runnable stop, Runnable atOnce) {
        try {
            Class<?> signals = Class.forName("sun.misc.Signal");
            Class<?> handlers = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    Interrupts.class.getClassLoader(), new Class<?>[] {handlers}, (proxy, method, arguments) -> {
                        if (signal.compareAndSet(0, number)) {
                            firstNs = System.nanoTime();
                            stop.run();
                        } else if (number != TERM || System.nanoTime() - firstNs > SAME_TERM_NS) {
                            end(128 + number, atOnce);
                        }
                        return null;
                    });
            signals.getMethod("handle", signals, handlers)
                    .invoke(null, signals.getConstructor(String.class).newInstance(name), handler);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            if (e instanceof InvocationTargetException && e.getCause() instanceof Error error) {
                throw error;
            }
            // No such class, or the parent process ignores the signal.
        }
    }

    /** Ends the JVM. A hook writes the status of result folders; work that hangs is not awaited. */
    private static void end(int code, Runnable atOnce) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(ENDING_MS);
            } catch (InterruptedException e) {
                // Ends all the same.
            }
            Runtime.getRuntime().halt(code);
        });
        atOnce.run();
        System.exit(code);
    }
}

package org.reprobe.cli.base;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl-C, a polite kill and a terminal that is closed: the first ends the program in order, the second ends it at once. Java names
 * the class for that without promising it, hence by reflection; without it the JVM ends at once, which loses no stored run.
 */
public final class Interrupts {
    private static final int HUP = 1;
    private static final int INT = 2;
    private static final int TERM = 15;
    /** A batch system tells a script and what it runs, and the script tells it again. */
    private static final long SAME_TERM_NS = 5_000_000_000L;
    /** Longest time for what is done at the end of the JVM. */
    private static final long ENDING_MS = 3_000;

    private final AtomicInteger signal = new AtomicInteger();
    private volatile long firstNs;

    private Interrupts() {}

    /** Calls {@code stop} on the first signal. */
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

    /** 130 after Ctrl-C, 143 after a kill, 129 after the terminal's end, 0 when nothing came. */
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
            // No such class, or the signal is ignored by whoever started us.
        }
    }

    /** Result folders get their status by a hook. Whatever hangs then is not waited for. */
    private static void end(int code, Runnable atOnce) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(ENDING_MS);
            } catch (InterruptedException e) {
                // All the more reason to end.
            }
            Runtime.getRuntime().halt(code);
        });
        atOnce.run();
        System.exit(code);
    }
}

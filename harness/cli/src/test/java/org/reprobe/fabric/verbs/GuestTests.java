package org.reprobe.fabric.verbs;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * Runs the tests of classes inside the virtual machine, one line each: {@code PASS Class.method} or {@code FAIL
 * Class.method reason}. JUnit's own launcher takes half a minute to start there, where every instruction is emulated.
 */
final class GuestTests {
    /** Timeout in ms: ten times the longest test on an idle host. */
    private static final long HANGS_MS = 300_000;

    private GuestTests() {}

    /** Arguments: classes, or one test as {@code class#method}; exits with 1 if a test failed. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        PrintStream out = System.out;
        boolean passed = true;
        for (String argument : arguments) {
            String[] names = argument.split("#", 2);
            Class<?> type = Class.forName(names[0]);
            for (Method test : methods(type, Test.class)) {
                if (names.length > 1 && !test.getName().equals(names[1])) {
                    continue;
                }
                long startNs = System.nanoTime();
                Timer watch = watch(test);
                Throwable failure = run(type, test);
                watch.cancel();
                long tookMs = (System.nanoTime() - startNs) / 1_000_000;
                String name = type.getSimpleName() + "." + test.getName();
                if (failure == null) {
                    out.println("PASS " + name + " " + tookMs + " ms");
                } else if (failure instanceof TestAbortedException) {
                    out.println("SKIP " + name + " " + failure.getMessage());
                } else {
                    passed = false;
                    out.println("FAIL " + name + " " + String.valueOf(failure).replaceAll("\\s+", " "));
                    failure.printStackTrace(out);
                }
                out.flush();
            }
        }
        Runtime.getRuntime().halt(passed ? 0 : 1); // daemon threads need not end in order
    }

    /** Reports a hanging test with all threads' stacks, and ends the others. */
    private static Timer watch(Method test) {
        Timer timer = new Timer(true);
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        Thread.getAllStackTraces().forEach((thread, stack) -> {
                            System.out.println(thread.getName() + " " + thread.getState());
                            Stream.of(stack).forEach(frame -> System.out.println("    at " + frame));
                        });
                        System.out.println("FAIL " + test.getDeclaringClass().getSimpleName() + "." + test.getName()
                                + " hangs: its threads stand above");
                        System.out.flush();
                        Runtime.getRuntime().halt(1);
                    }
                },
                HANGS_MS);
        return timer;
    }

    private static @org.jspecify.annotations.Nullable Throwable run(Class<?> type, Method test)
            throws ReflectiveOperationException {
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        try {
            Object instance = constructor.newInstance();
            try {
                for (Method before : methods(type, BeforeEach.class)) {
                    before.invoke(instance);
                }
                test.invoke(instance);
            } finally {
                for (Method after : methods(type, AfterEach.class).reversed()) {
                    after.invoke(instance);
                }
            }
            return null;
        } catch (InvocationTargetException failed) {
            return failed.getCause();
        }
    }

    /** Methods of a class and its superclasses, theirs first. */
    private static List<Method> methods(Class<?> type, Class<? extends java.lang.annotation.Annotation> annotation) {
        Deque<Class<?>> types = new ArrayDeque<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            types.push(at);
        }
        List<Method> found = new ArrayList<>();
        for (Class<?> at : types) {
            List<Method> here = new ArrayList<>(List.of(at.getDeclaredMethods()));
            here.removeIf(method -> !method.isAnnotationPresent(annotation));
            here.sort(Comparator.comparing(Method::getName));
            here.forEach(method -> method.setAccessible(true));
            found.addAll(here);
        }
        return found;
    }
}

package org.reprobe.verbs;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;

/**
 * Launcher of unchanged DiSNI programs over this provider: {@code java -cp ... org.reprobe.verbs.Launch MAIN-CLASS
 * ARGUMENTS...}
 */
public final class Launch {
    private Launch() {}

    /** Installs the provider, then calls {@code main} of the class named first with the remaining arguments. */
    public static void main(String[] arguments) throws Throwable {
        if (arguments.length == 0) {
            throw new IllegalArgumentException("the first argument is the class to run");
        }
        DisniProvider.install();
        MethodHandle main = MethodHandles.publicLookup()
                .findStatic(Class.forName(arguments[0]), "main", MethodType.methodType(void.class, String[].class));
        main.invokeExact(Arrays.copyOfRange(arguments, 1, arguments.length));
    }
}

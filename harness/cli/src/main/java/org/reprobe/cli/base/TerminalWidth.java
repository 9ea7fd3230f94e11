package org.reprobe.cli.base;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** Width of the terminal behind standard error at the moment: its window may be resized. */
public final class TerminalWidth {
    private static final int STANDARD_ERROR = 2;
    /** Request of ioctl(2) for {@code struct winsize}: rows, columns and two unused numbers of 16 bits. */
    private static final long TIOCGWINSZ = System.getProperty("os.name", "").startsWith("Mac") ? 0x40087468 : 0x5413;

    private static final int MIN_COLUMNS = 20;
    private static final int UNKNOWN = 101;
    private static final @Nullable MethodHandle IOCTL = ioctl();

    private TerminalWidth() {}

    /** Returns the number of columns; where the system does not report it, that at the program's start, or 101. */
    public static int columns() {
        MethodHandle ioctl = IOCTL;
        if (ioctl != null) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment size = arena.allocate(ValueLayout.JAVA_SHORT, 4);
                int error = (int) ioctl.invokeExact(STANDARD_ERROR, TIOCGWINSZ, size);
                int columns = Short.toUnsignedInt(size.getAtIndex(ValueLayout.JAVA_SHORT, 1));
                if (error == 0 && columns > 0) {
                    return Math.max(MIN_COLUMNS, columns);
                }
            } catch (Throwable e) { // declared by method handles
                throw new IllegalStateException(e);
            }
        }
        return Integer.getInteger("reprobe.columns", UNKNOWN);
    }

    @SuppressWarnings("restricted") // a native call is what this is for
    private static @Nullable MethodHandle ioctl() {
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup()
                .find("ioctl")
                .map(found -> linker.downcallHandle(
                        found,
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                        Linker.Option.firstVariadicArg(2)))
                .orElse(null);
    }
}

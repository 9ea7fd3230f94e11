package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Optional;

/**
 * Functions of libibverbs, librdmacm and libc, and raw memory. Pointers are {@code long}s. A failed call throws a
 * {@link VerbsException} with errno.
 */
@SuppressWarnings("restricted") // native calls are what this is for
final class RdmaCore {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBRARIES = libraries("libibverbs.so.1", "librdmacm.so.1");
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO_VALUE =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> STATE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final MethodHandle MALLOC = plain("malloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FREE = plain("free", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final Call POLL = new Call("poll", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FCNTL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("fcntl"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
            Linker.Option.firstVariadicArg(2));

    /** Functions at pointers of the context: {@code int (*)(queue, list, bad)}, {@code int (*)(queue, int, array)}. */
    static final MethodHandle POST =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** Critical linkage: polling is short and never blocks. */
    static final MethodHandle POLL_CQ = LINKER.downcallHandle(
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG), Linker.Option.critical(false));

    static final MethodHandle REQUEST_NOTIFY =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private RdmaCore() {}

    static SymbolLookup libraries(String verbs, String cm) {
        Arena forEver = Arena.global();
        try {
            // librdmacm loads libibverbs itself; both are looked up, so that the message names the missing one.
            return SymbolLookup.libraryLookup(verbs, forEver)
                    .or(SymbolLookup.libraryLookup(cm, forEver))
                    .or(LINKER.defaultLookup());
        } catch (IllegalArgumentException missing) {
            throw new UnsatisfiedLinkError(
                    verbs + " and " + cm + " are needed; on Debian: apt-get install libibverbs1 librdmacm1"
                            + " ibverbs-providers; elsewhere the package rdma-core has them (" + missing.getMessage()
                            + ")");
        }
    }

    private static MethodHandle plain(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LIBRARIES.findOrThrow(name), type);
    }

    /** Returns a function, or an empty Optional if the library is too old to have it. */
    static Optional<MethodHandle> optional(String name, FunctionDescriptor type) {
        return LIBRARIES.find(name).map(function -> LINKER.downcallHandle(function, type));
    }

    /** Errno of this thread's last call. */
    static int lastErrno() {
        return lastErrno(STATE.get());
    }

    private static int lastErrno(MemorySegment state) {
        return (int) ERRNO_VALUE.get(state, 0L);
    }

    /** Wraps an exception of a downcall. Only a fault of this provider can cause one. */
    static AssertionError unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException runtime) {
            throw runtime;
        }
        return new AssertionError(thrown);
    }

    /** Allocates zeroed memory, to be released by {@link #free}. */
    static long allocate(long bytes) {
        long address;
        try {
            address = (long) MALLOC.invokeExact(bytes);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
        if (address == 0) {
            throw new OutOfMemoryError("no memory for " + bytes + " bytes");
        }
        MEMORY.asSlice(address, bytes).fill((byte) 0);
        return address;
    }

    static void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    static long getLong(long address) {
        return MEMORY.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    static int getInt(long address) {
        return MEMORY.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    static short getShort(long address) {
        return MEMORY.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    static byte getByte(long address) {
        return MEMORY.get(ValueLayout.JAVA_BYTE, address);
    }

    static void putLong(long address, long value) {
        MEMORY.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }

    static void putInt(long address, int value) {
        MEMORY.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    static void putByte(long address, byte value) {
        MEMORY.set(ValueLayout.JAVA_BYTE, address, value);
    }

    static byte[] bytes(long address, int count) {
        return MEMORY.asSlice(address, count).toArray(ValueLayout.JAVA_BYTE);
    }

    static void put(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, MEMORY, ValueLayout.JAVA_BYTE, address, bytes.length);
    }

    static String string(long address) {
        return address == 0 ? "" : MEMORY.getString(address);
    }

    /** Makes reads of a file descriptor non-blocking. */
    static void unblock(int fd) throws VerbsException {
        final int getFlags = 3;
        final int setFlags = 4;
        final int nonBlocking = 0x800;
        try {
            int flags = (int) FCNTL.invokeExact(fd, getFlags, 0);
            if (flags < 0 || (int) FCNTL.invokeExact(fd, setFlags, flags | nonBlocking) < 0) {
                throw new VerbsException("fcntl", 9);
            }
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** Waits up to {@code timeoutMs} for a readable file descriptor; returns false after the timeout or a signal. */
    static boolean readable(int fd, int timeoutMs) throws VerbsException {
        final short in = 1;
        final int interrupted = 4;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(8, 8);
            set.set(JAVA_INT, 0, fd);
            set.set(ValueLayout.JAVA_SHORT, 4, in);
            long ready = POLL.raw(set.address(), 1, timeoutMs);
            if (ready < 0 && lastErrno(STATE.get()) != interrupted) {
                throw new VerbsException("poll", lastErrno(STATE.get()));
            }
            return ready > 0;
        }
    }

    /** Returns a function pointer for the handles that take one. */
    static MemorySegment function(long pointer) {
        return MemorySegment.ofAddress(pointer);
    }

    /**
     * Function that returns a status or a pointer. Parameters are widened to {@code long} and padded, so that all
     * functions have one signature. For setup, not for the hot path.
     */
    static final class Call {
        private static final int ARGUMENTS = 5;
        private final String name;
        private final MethodHandle handle;

        /** @param result {@code JAVA_INT}: nonzero is a failure; {@code JAVA_LONG}, a pointer: null is one */
        Call(String name, ValueLayout result, ValueLayout... parameters) {
            this.name = name;
            MethodHandle exact = LINKER.downcallHandle(
                    LIBRARIES.findOrThrow(name), FunctionDescriptor.of(result, parameters), ERRNO);
            MethodType wide = MethodType.methodType(long.class, MemorySegment.class);
            for (int i = 0; i < parameters.length; i++) {
                wide = wide.appendParameterTypes(long.class);
            }
            MethodHandle widened = MethodHandles.explicitCastArguments(exact, wide);
            Class<?>[] missing = new Class<?>[ARGUMENTS - parameters.length];
            Arrays.fill(missing, long.class);
            this.handle = MethodHandles.dropArguments(widened, 1 + parameters.length, missing);
        }

        private long call(MemorySegment state, long a, long b, long c, long d, long e) {
            try {
                return (long) handle.invokeExact(state, a, b, c, d, e);
            } catch (Throwable thrown) {
                throw unexpected(thrown);
            }
        }

        long raw(long a, long b, long c) {
            return call(STATE.get(), a, b, c, 0, 0);
        }

        /** Calls a function that returns 0 on success; otherwise -1 with errno set, or the errno. */
        void run(long a, long b, long c, long d, long e) throws VerbsException {
            MemorySegment state = STATE.get();
            long result = call(state, a, b, c, d, e);
            if (result != 0) {
                throw new VerbsException(name, result > 0 ? (int) result : lastErrno(state));
            }
        }

        void run(long a, long b, long c, long d) throws VerbsException {
            run(a, b, c, d, 0);
        }

        void run(long a, long b, long c) throws VerbsException {
            run(a, b, c, 0, 0);
        }

        void run(long a, long b) throws VerbsException {
            run(a, b, 0, 0, 0);
        }

        void run(long a) throws VerbsException {
            run(a, 0, 0, 0, 0);
        }

        /** Calls a function that returns a pointer, null on failure. */
        long pointer(long a, long b, long c, long d, long e) throws VerbsException {
            MemorySegment state = STATE.get();
            long result = call(state, a, b, c, d, e);
            if (result == 0) {
                throw new VerbsException(name, lastErrno(state));
            }
            return result;
        }

        long pointer(long a) throws VerbsException {
            return pointer(a, 0, 0, 0, 0);
        }
    }

    /** Function of one pointer without result. */
    static final class Action {
        private final MethodHandle handle;

        Action(String name) {
            this.handle = plain(name, FunctionDescriptor.ofVoid(JAVA_LONG));
        }

        void run(long pointer) {
            try {
                handle.invokeExact(pointer);
            } catch (Throwable thrown) {
                throw unexpected(thrown);
            }
        }
    }

    /** Function of a pointer and a number without result. */
    static final class CountAction {
        private final MethodHandle handle;

        CountAction(String name) {
            this.handle = plain(name, FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
        }

        void run(long pointer, int count) {
            try {
                handle.invokeExact(pointer, count);
            } catch (Throwable thrown) {
                throw unexpected(thrown);
            }
        }
    }
}

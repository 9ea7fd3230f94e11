package org.reprobe.verbs;

import java.io.IOException;
import java.util.Map;

/** Failed call of rdma-core. The message contains the call, the error and, if available, a hint. */
public final class VerbsException extends IOException {
    /** Errors of these calls on Linux: number, name and meaning. */
    private static final Map<Integer, String> ERRORS = Map.ofEntries(
            Map.entry(1, "EPERM: not permitted"),
            Map.entry(2, "ENOENT: no such file or object"),
            Map.entry(5, "EIO: input or output failed"),
            Map.entry(11, "EAGAIN: temporarily not possible"),
            Map.entry(12, "ENOMEM: no memory, or more locked memory than allowed; ulimit -l unlimited helps"),
            Map.entry(13, "EACCES: no permission; may this user open /dev/infiniband?"),
            Map.entry(14, "EFAULT: invalid memory address"),
            Map.entry(16, "EBUSY: still in use"),
            Map.entry(19, "ENODEV: there is no RDMA device for this address"),
            Map.entry(22, "EINVAL: refused; is a size or a depth beyond the device's limit?"),
            Map.entry(24, "EMFILE: too many open files; ulimit -n shows the limit"),
            Map.entry(28, "ENOSPC: no space left in a queue"),
            Map.entry(95, "EOPNOTSUPP: the device does not support this"),
            Map.entry(98, "EADDRINUSE: the port is in use by another process"),
            Map.entry(99, "EADDRNOTAVAIL: this machine has no such address"),
            Map.entry(101, "ENETUNREACH: no route to that network"),
            Map.entry(104, "ECONNRESET: the other side closed the connection"),
            Map.entry(107, "ENOTCONN: not connected"),
            Map.entry(110, "ETIMEDOUT: no reply in time"),
            Map.entry(111, "ECONNREFUSED: no server listens there"),
            Map.entry(113, "EHOSTUNREACH: no route to that machine"));

    private final String call;
    private final int errno;

    /** Creates the exception for a failed function; {@code errno} is of either sign. */
    public VerbsException(String call, int errno) {
        super(call + " failed: " + text(errno));
        this.call = call;
        this.errno = Math.abs(errno);
    }

    public String call() {
        return call;
    }

    public int errno() {
        return errno;
    }

    public static String text(int errno) {
        int number = Math.abs(errno);
        return ERRORS.getOrDefault(number, "error " + number);
    }
}

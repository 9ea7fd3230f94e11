package org.reprobe.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Verifies {@link StructLayout} against structures filled in by the libraries, since a wrong offset would cause a
 * crash. Runs for each new object, never on a hot path.
 */
final class LayoutCheck {
    private LayoutCheck() {}

    /** Checks that the command file is a device file, and that the function pointers point to executable memory. */
    static void context(DeviceContext context) throws IOException {
        int fd = RdmaCore.getInt(context.address() + StructLayout.Context.COMMAND_FD);
        String file = fileOf(fd);
        expect(file.startsWith("/dev/infiniband/"), "ibv_context.cmd_fd is " + fd + ", " + file);
        List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
        expect(
                executable(maps, context.pollCq())
                        && executable(maps, context.requestNotify())
                        && executable(maps, context.postSend())
                        && executable(maps, context.postReceive()),
                "a function pointer of ibv_context.ops does not point to code");
    }

    static void same(String field, long expected, long found) throws IOException {
        expect(expected == found, field + " is " + found + " instead of " + expected);
    }

    private static String fileOf(int fd) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
        } catch (IOException _) {
            return "no open file";
        }
    }

    private static boolean executable(List<String> maps, long address) {
        for (String line : maps) {
            int dash = line.indexOf('-');
            int blank = line.indexOf(' ');
            long from = Long.parseUnsignedLong(line.substring(0, dash), 16);
            long to = Long.parseUnsignedLong(line.substring(dash + 1, blank), 16);
            if (Long.compareUnsigned(from, address) <= 0 && Long.compareUnsigned(address, to) < 0) {
                return line.charAt(blank + 3) == 'x';
            }
        }
        return false;
    }

    private static void expect(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException("this version of rdma-core has another structure layout: " + otherwise);
        }
    }
}

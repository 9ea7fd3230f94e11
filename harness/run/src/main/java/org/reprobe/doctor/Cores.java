package org.reprobe.doctor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Settings;

/**
 * Cores on which a process runs: {@code hosts.server-cores} and {@code hosts.client-cores}. Memory that a pinned
 * process touches first is on the NUMA node of its cores, unless that node is full.
 */
public final class Cores {
    /** Bytes of a mask of cores, for up to 8192 of them. */
    private static final int MASK_BYTES = 1024;

    private static final String NODE = "node-";

    private final Path system;

    /** Cores of the host whose files are below {@code system}, usually {@code /}. */
    Cores(Path system) {
        this.system = system;
    }

    /** Returns the reason why this host can't pin processes as a scenario states; null if it can, or need not. */
    public static @Nullable String problem(Settings.Hosts hosts) {
        Cores here = new Cores(Path.of("/"));
        try {
            if (hosts.server().equals(Settings.HERE)) {
                here.of(hosts.serverCores());
            }
            if (hosts.clients().stream().allMatch(Settings.HERE::equals)) {
                for (String cores : hosts.clientCores()) {
                    here.of(cores);
                }
            }
            return null;
        } catch (IOException impossible) {
            return String.valueOf(impossible.getMessage());
        }
    }

    /** Returns the numbers of some cores: a list, or those of a NUMA node. Fails if one of them does not exist. */
    Set<Integer> of(String wanted) throws IOException {
        Path cpus = system.resolve("sys/devices/system/cpu/online");
        if (!Files.exists(cpus)) {
            throw new IOException("processes are pinned to cores on Linux only");
        }
        Set<Integer> online = ProcessorList.parse(Files.readString(cpus));
        if (wanted.equals(Settings.Hosts.ALL_CORES)) {
            return online;
        }
        if (wanted.startsWith(NODE)) {
            Path nodes = system.resolve("sys/devices/system/node");
            Path list = nodes.resolve("node" + wanted.substring(NODE.length()) + "/cpulist");
            Set<Integer> ofNode = Files.exists(list) ? ProcessorList.parse(Files.readString(list)) : Set.of();
            if (ofNode.isEmpty()) {
                Path existing = nodes.resolve("online");
                String names =
                        Files.exists(existing) ? Files.readString(existing).strip() : "none";
                throw new IOException(wanted + " does not exist or has no cores: this host has the nodes " + names);
            }
            return ofNode;
        }
        Set<Integer> all = ProcessorList.parse(wanted);
        if (all.isEmpty()) {
            throw new IOException(wanted + " names no core");
        }
        Set<Integer> missing = new TreeSet<>(all);
        missing.removeAll(online);
        if (!missing.isEmpty()) {
            throw new IOException("there is no core " + ProcessorList.words(missing) + ": this host has "
                    + ProcessorList.words(online));
        }
        return all;
    }

    /** Pins all threads of this process, and those that they will start. Fails if the system does not allow it. */
    public static void pin(String wanted) throws IOException {
        Cores here = new Cores(Path.of("/"));
        Set<Integer> cores = here.of(wanted);
        Set<String> pinned = new HashSet<>();
        boolean more = true;
        while (more) { // an unpinned thread may have started another
            more = false;
            for (String thread : threads()) {
                if (pinned.add(thread)) {
                    more = true;
                    pin(Integer.parseInt(thread), cores);
                }
            }
        }
        Set<Integer> allowed = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Cpus_allowed_list:")) {
                allowed.addAll(ProcessorList.parse(line.substring(line.indexOf(':') + 1)));
            }
        }
        if (!allowed.equals(cores)) {
            throw new IOException("this process may not run on " + ProcessorList.words(cores)
                    + "; of these it may run on " + ProcessorList.words(allowed));
        }
    }

    private static List<String> threads() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/task"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @SuppressWarnings("restricted") // a native call is what this is for
    private static void pin(int thread, Set<Integer> cores) throws IOException {
        Linker linker = Linker.nativeLinker();
        MethodHandle setAffinity = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("sched_setaffinity"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        int failed;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment mask = call.allocate(MASK_BYTES, Long.BYTES);
            for (int core : cores) {
                long word = core / Long.SIZE;
                mask.setAtIndex(
                        ValueLayout.JAVA_LONG,
                        word,
                        mask.getAtIndex(ValueLayout.JAVA_LONG, word) | 1L << core % Long.SIZE);
            }
            failed = (int) setAffinity.invokeExact(thread, (long) MASK_BYTES, mask);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        // A thread may have ended meanwhile.
        if (failed != 0 && Files.exists(Path.of("/proc/self/task/" + thread))) {
            throw new IOException("the system does not allow this process to run on " + ProcessorList.words(cores));
        }
    }
}

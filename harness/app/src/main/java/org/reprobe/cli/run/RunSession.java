package org.reprobe.cli.run;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.QuietOption;
import org.reprobe.run.Experiment;
import org.reprobe.run.process.Coordinator;

/**
 * Command line of a {@code run}, as far as all its modes use it.
 *
 * @param command as typed
 * @param strict true if a missed claim is a failure
 * @param workers number of runs at a time, at most
 * @param memoryBytes maximum memory of tables and clients
 * @param tableCache folder of built tables; null for none
 * @param listen address for clients that are started by hand; null to start them
 * @param zookeeper hosts of ZooKeeper; empty to start one
 */
record RunSession(
        Library library,
        JsonOption json,
        QuietOption quiet,
        PrintWriter err,
        String command,
        boolean strict,
        int workers,
        long memoryBytes,
        @Nullable Path tableCache,
        @Nullable InetSocketAddress listen,
        String zookeeper) {

    /** Returns the output for text that is not progress. */
    PrintWriter text() {
        return json.text();
    }

    PrintWriter header() {
        return quiet.header(text());
    }

    /** Returns the coordinator of runs on real fabrics. */
    Coordinator coordinator(RunProgress progress, Path nics) {
        Path home = library.home().toAbsolutePath().normalize();
        return new Coordinator(new Coordinator.Options(
                home, nics, tableCache, Coordinator.COMPILING_MS, listen, zookeeper, null, progress::note));
    }

    /** Returns how an experiment is run whose NIC profiles are in a folder. */
    Experiment.Options options(boolean profiled, @Nullable Path latestIn, RunProgress progress, Path nics) {
        return new Experiment.Options(
                workers, memoryBytes, tableCache, profiled, latestIn, coordinator(progress, nics));
    }
}

package org.reprobe.cli.run;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.options.DetailOptions;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.run.Experiment;
import org.reprobe.run.process.Coordinator;

/**
 * Options of {@code run} that all its modes use. {@code tableCache} is null without a cache; {@code listen} is null,
 * and {@code zookeeper} empty, to start clients and servers; {@code live} is null without a page.
 */
record RunSession(
        Library library,
        JsonOption json,
        DetailOptions detail,
        PrintWriter err,
        String command,
        boolean strict,
        int workers,
        long memoryBytes,
        @Nullable Path tableCache,
        @Nullable InetSocketAddress listen,
        String zookeeper,
        @Nullable LiveServer live) {

    PrintWriter text() {
        return json.text();
    }

    PrintWriter header() {
        return detail.header(text());
    }

    Coordinator coordinator(RunProgress progress, Path nics) {
        Path home = library.home().toAbsolutePath().normalize();
        return new Coordinator(new Coordinator.Options(
                home, nics, tableCache, Coordinator.COMPILING_MS, listen, zookeeper, List.of(), progress::note));
    }

    Experiment.Options options(boolean profiled, @Nullable Path latestIn, RunProgress progress, Path nics) {
        return new Experiment.Options(
                workers, memoryBytes, tableCache, profiled, latestIn, coordinator(progress, nics));
    }
}

package org.reprobe.farm.commit;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Folder of the log files of a run: one folder per machine, in it one per thread. */
public record LogFolder(Path path) {
    private static final String THREAD = "thread-";

    public Path machine(int machine) {
        return path.resolve("machine-" + machine);
    }

    Path thread(int machine, int thread) {
        return machine(machine).resolve(THREAD + thread);
    }

    /**
     * Returns the records of a machine's logs after its failure, up to the last whole record of each; empty if the
     * machine has no logs, or if the beginning of one is missing.
     */
    public List<List<long[]>> records(int machine) throws IOException {
        List<List<long[]>> records = new ArrayList<>();
        if (!Files.isDirectory(machine(machine))) {
            return records;
        }
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(machine(machine), THREAD + "*")) {
            for (Path thread : threads) {
                StoredLog log = StoredLog.in(thread);
                if (log.ending() == StoredLog.Ending.BEGINNING_MISSING) {
                    return List.of();
                }
                records.add(log.records());
            }
        }
        return records;
    }

    /** Adds an incomplete record to each log of a machine, as if a power failure had interrupted a write. */
    public void tear(int machine, RandomGenerator random) throws IOException {
        if (!Files.isDirectory(machine(machine))) {
            return;
        }
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(machine(machine), THREAD + "*")) {
            for (Path thread : threads) {
                StoredLog.tear(thread, random);
            }
        }
    }
}

package org.reprobe.farm.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.LogFolder;
import org.reprobe.farm.commit.RestoredObjects;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.RegionCopies;

/**
 * Configuration in a file beside a machine's logs. A machine writes it before it reports that it has stopped, so no
 * configuration decides anything before all its members have its file.
 */
final class StoredConfiguration {
    private StoredConfiguration() {}

    private static Path file(Path folder) {
        return folder.resolve("configuration");
    }

    /** Replaces the configuration in a machine's folder. */
    static void write(Path folder, Configuration configuration) throws FabricException {
        Path next = folder.resolve("configuration.next");
        try {
            try (FileChannel file = FileChannel.open(
                    next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, configuration.word()));
                file.force(true);
            }
            Files.move(next, file(folder), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new FabricException("cannot store a configuration beside the logs: " + e.getMessage(), e);
        }
    }

    /** Returns the last configuration in the folders of machines; the first one if there is no file. */
    static Configuration last(LogFolder logs, int machines) throws IOException {
        Configuration last = Configuration.first(machines);
        for (int machine = 0; machine < machines; machine++) {
            Path file = file(logs.machine(machine));
            if (Files.exists(file)) {
                byte[] word = Files.readAllBytes(file);
                if (word.length != Long.BYTES) {
                    throw new IOException(file + " has " + word.length + " bytes, not " + Long.BYTES);
                }
                Configuration own = Configuration.of(ByteBuffer.wrap(word).getLong());
                last = own.number() > last.number() ? own : last;
            }
        }
        return last;
    }

    /**
     * Restores the objects of all machines after all have failed.
     *
     * @param runs folder of the last run whose machines all had begun, then those of interrupted restarts
     */
    static RestoredObjects restored(List<LogFolder> runs, int machines, RegionCopies copies, ObjectsByAddress objects)
            throws FabricException {
        LogFolder logs = runs.getFirst();
        try {
            Configuration last = last(logs, machines);
            RestoredObjects restored = new RestoredObjects(last.copies(copies), machines, objects, records(logs, last));
            for (LogFolder interrupted : runs.subList(1, runs.size())) {
                logs = interrupted;
                last = last(logs, machines);
                restored.addLater(last.copies(copies), records(logs, last));
            }
            return restored;
        } catch (IOException e) {
            throw new FabricException("cannot read the logs in " + logs.path() + ": " + e.getMessage(), e);
        }
    }

    private static Map<Integer, List<List<long[]>>> records(LogFolder logs, Configuration last) throws IOException {
        Map<Integer, List<List<long[]>>> records = new HashMap<>();
        for (int machine : last.all()) {
            List<List<long[]>> own = logs.records(machine);
            if (!own.isEmpty()) {
                records.put(machine, own);
            }
        }
        return records;
    }
}

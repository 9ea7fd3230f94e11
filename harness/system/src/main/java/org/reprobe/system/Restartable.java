package org.reprobe.system;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Deployment whose machines log to files, from which another run continues after all machines have failed. Histories of
 * the content at the start have the indices of those at the end, plus the number of machines.
 */
public interface Restartable {
    /**
     * Sets the folders of logs, before servers are prepared.
     *
     * @param logs empty folder for the logs of this run
     * @param earlier folder with the logs of an earlier run; null to begin with loaded content
     */
    void keepLogs(Path logs, @Nullable Path earlier);
}

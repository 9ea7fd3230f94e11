package org.reprobe.system;

import java.nio.file.Path;
import java.util.List;

/**
 * Deployment whose machines log to files, from which another run continues after all machines have failed. Histories of
 * the content at the start have the indices of those at the end, plus the number of machines.
 */
public interface Restartable {
    /**
     * Sets the folders of logs, before servers are prepared.
     *
     * @param logs empty folder for the logs of this run
     * @param earlier folders with the logs of the last run in which all machines had begun, and of later restarts
     *     during which all failed again; empty to begin with loaded content
     */
    void keepLogs(Path logs, List<Path> earlier);
}

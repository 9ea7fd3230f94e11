package org.reprobe.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Test with runs of transactions on few keys, during which machines may be killed at any time. {@code check --fabric}
 * checks their histories for strict serializability.
 */
public interface MachinesTest {

    String scheme();

    /** Returns the setting that permits failures of machines, as text for messages. */
    String condition();

    /** Returns the maximum number of failures per run for a number of machines. */
    int mayFail(int machines);

    /** Returns the maximum number of failures before all machines lose power and restart. */
    int mayFailBeforeRestart(int machines);

    /** Returns further settings by key that restarts require ({@link Restartable}). */
    Map<String, Object> restartSettings();

    /** Returns the test for runs in which machines rejoin: with content that takes some time to copy. */
    default MachinesTest forRejoins() {
        return this;
    }

    /**
     * Damages the end of the logs in a folder, as power failures during writes do, before machines restart from them.
     */
    void tear(Path logs, int machines, RandomGenerator random) throws IOException;

    /** Returns settings by key, except fabric, scheme, clients and times. */
    Map<String, Object> settings(int machines);

    /** Returns initial values by key. */
    Map<Long, Long> before(int machines);
}

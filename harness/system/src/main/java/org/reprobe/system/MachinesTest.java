package org.reprobe.system;

import java.util.Map;

/**
 * Runs of transactions over few keys whose machines may be killed at any moment. {@code check --fabric} checks their
 * histories for strict serializability.
 */
public interface MachinesTest {

    String scheme();

    /** Returns the setting that permits machine failures, as messages name it. */
    String condition();

    /** Returns the maximum number of failures per run for a number of machines. */
    int mayFail(int machines);

    /** Returns settings by key, except fabric, scheme, clients and times. */
    Map<String, Object> settings(int machines);

    /** Returns initial values by key. */
    Map<Long, Long> before(int machines);
}

package org.reprobe.system;

import java.util.Map;

/**
 * Runs of transactions over few keys, whose machines may be killed at any moment, and whose histories {@code check --fabric} checks for strict
 * serializability.
 */
public interface MachinesTest {

    /** The scheme that is run. */
    String scheme();

    /** Returns the setting with which machines may fail, as messages name it. */
    String condition();

    /** How many of so many machines may fail in one run. */
    int mayFail(int machines);

    /** Settings of a run of so many machines, by their keys, besides fabric, scheme, clients and times. */
    Map<String, Object> settings(int machines);

    /** What keys have before. */
    Map<Long, Long> before(int machines);
}

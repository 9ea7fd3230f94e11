package org.reprobe.farm.recovery;

import org.reprobe.fabric.FabricException;

/**
 * Store of the current configuration. If several machines suspect each other, one of them wins. FaRM of 2015 uses
 * ZooKeeper, and only its compare-and-swap (section 5.2). The store does not fail with the machines.
 */
@FunctionalInterface
public interface ConfigurationStore {
    /**
     * Replaces the configuration {@code known} if it is still the current one, and returns the current one. Fails when
     * the store is unreachable; the replacement may have taken place.
     */
    Configuration replace(Configuration known, Configuration next) throws FabricException;
}

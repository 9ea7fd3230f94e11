package org.reprobe.farm.recovery;

import org.reprobe.fabric.FabricException;

/**
 * Where the present configuration is kept, so that of several machines that suspect each other one wins: FaRM of 2015 has ZooKeeper for this and uses
 * nothing of it but replacing a value that is known (section 5.2). It does not fail with the machines.
 */
@FunctionalInterface
public interface ConfigurationStore {
    /**
     * Replaces a configuration by another, if it is still the present one.
     *
     * @return the present one after that
     * @throws FabricException when the store can't be reached: nobody knows whether it was replaced
     */
    Configuration replace(Configuration known, Configuration next) throws FabricException;
}

package org.reprobe.system;

/** System with a scheme whose machines {@code check --fabric} kills. */
public interface MachinesTestable extends SystemUnderTest {

    MachinesTest machinesTest();
}

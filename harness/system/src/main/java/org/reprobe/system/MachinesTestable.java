package org.reprobe.system;

/** A system with a scheme whose machines {@code check --fabric} kills. */
public interface MachinesTestable extends SystemUnderTest {

    /** Returns the test of that scheme. */
    MachinesTest machinesTest();
}

package org.reprobe.system;

/** A run of a planned scheme as {@code plan --verify} simulates it: of {@code connection}, {@code load}, and content that runs share. */
public interface PlannedDeployment extends Deployment {

    /** The same with a share of lookups that go on to write the record that they found, as the planner has them. */
    PlannedDeployment updating(double share);
}

package org.reprobe.system;

/**
 * Known fault of a protocol. Wrong results are then a finding about the protocol, not a failure of the run.
 *
 * @param variant the setting that selects the protocol, as in a scenario file
 * @param cause cause of the wrong results, one clause
 * @param trial name, or common prefix, of the configurations in which {@code check} shows the fault
 */
public record KnownFault(String variant, String cause, String trial) {}

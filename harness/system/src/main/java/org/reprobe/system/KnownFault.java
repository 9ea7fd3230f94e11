package org.reprobe.system;

/**
 * Known fault of a protocol, whose wrong results are a finding about the protocol, not a failure of the run.
 *
 * @param variant the setting that selects the protocol, as in a scenario file
 * @param cause of wrong results, one clause
 * @param trial name, or common prefix, of the configurations in which {@code check} shows the fault
 */
public record KnownFault(String variant, String cause, String trial) {}

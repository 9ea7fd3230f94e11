package org.reprobe.system;

/**
 * Fault that a protocol is known to have, so that its clients may get wrong answers: these are a finding about the protocol, not a
 * failure of the run.
 *
 * @param variant the setting that chooses the protocol, as in a scenario file
 * @param cause reason for wrong answers, one clause
 * @param trial name, or beginning of the names, of the configurations in which {@code check} shows the fault
 */
public record KnownFault(String variant, String cause, String trial) {}

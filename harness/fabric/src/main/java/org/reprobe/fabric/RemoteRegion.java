package org.reprobe.fabric;

/**
 * Registered memory of a server as clients address it.
 *
 * @param address of the first byte
 * @param bytes length
 * @param key remote key required by every operation
 */
public record RemoteRegion(long address, long bytes, int key) {}

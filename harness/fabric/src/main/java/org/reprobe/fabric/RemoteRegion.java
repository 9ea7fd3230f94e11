package org.reprobe.fabric;

/**
 * Registered memory of a server, as a client addresses it.
 *
 * @param address of its first byte
 * @param bytes its length
 * @param key the remote key that every operation must carry
 */
public record RemoteRegion(long address, long bytes, int key) {}

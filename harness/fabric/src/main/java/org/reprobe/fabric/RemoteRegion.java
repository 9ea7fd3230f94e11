package org.reprobe.fabric;

/** Registered memory of a server as clients address it; every operation requires the remote key. */
public record RemoteRegion(long address, long bytes, int key) {}

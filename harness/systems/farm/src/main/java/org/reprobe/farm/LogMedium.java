package org.reprobe.farm;

/** Medium of replicas' logs on real fabrics. */
public enum LogMedium {
    MEMORY,
    FILES
}

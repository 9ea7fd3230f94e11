package org.reprobe.farm.commit;

/** Medium of replicas' logs on real fabrics. */
public enum LogMedium {
    MEMORY,
    FILES
}

package org.reprobe.analysis.perftest;

/** Line of a file, from 1. */
public record Origin(String file, int line) {
    @Override
    public String toString() {
        return file + ":" + line;
    }
}

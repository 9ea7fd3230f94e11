package org.reprobe.regress;

/** Something real that takes time, and can be made slower. */
interface Timings extends AutoCloseable {

    /** Warms up. {@code aimNs} is about how long one timing is to take. */
    void tune(double aimNs) throws Exception;

    /** How long one run of lookups takes, in ns; on the slower side {@code slowdown} more, 0.03 for 3 %. */
    double timeNs(double slowdown) throws Exception;

    /** What is timed, and how it is slowed down. */
    String what();

    @Override
    void close();
}

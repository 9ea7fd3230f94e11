package org.reprobe.regress;

/** Real work with a duration that can be slowed down. */
interface Timings extends AutoCloseable {

    /** Warms up; {@code aimNs} is the approximate duration of one timing. */
    void tune(double aimNs) throws Exception;

    /** Time of one run of lookups in ns; on the slower side {@code slowdown} more, 0.03 for 3 %. */
    double timeNs(double slowdown) throws Exception;

    /** Description of the work and of the slowdown. */
    String what();

    @Override
    void close();
}

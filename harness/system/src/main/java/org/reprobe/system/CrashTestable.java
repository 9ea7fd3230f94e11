package org.reprobe.system;

/** A system whose client processes {@code check --fabric} kills. */
public interface CrashTestable extends SystemUnderTest {

    /** Returns the test of all its schemes. */
    CrashTest crashTest();
}

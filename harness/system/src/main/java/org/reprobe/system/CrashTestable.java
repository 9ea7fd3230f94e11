package org.reprobe.system;

/** System whose client processes {@code check --fabric} kills. */
public interface CrashTestable extends SystemUnderTest {

    CrashTest crashTest();
}

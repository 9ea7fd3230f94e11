package org.reprobe.cli.base;

public final class ExitCode {
    public static final int FINE = 0;
    public static final int FAILED = 1;
    public static final int BAD_INPUT = 2;
    public static final int UNDECIDED = 3;

    private ExitCode() {}
}

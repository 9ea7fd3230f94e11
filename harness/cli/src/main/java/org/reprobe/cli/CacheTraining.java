package org.reprobe.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.reprobe.cli.base.ExitCode;

/** Runs several commands, separated by {@code --}, in one process: run.sh makes the cache of their classes from it. */
final class CacheTraining {
    private CacheTraining() {}

    public static void main(String[] arguments) {
        List<String> left = new ArrayList<>(Arrays.asList(arguments));
        while (!left.isEmpty()) {
            int end = left.contains("--") ? left.indexOf("--") : left.size();
            int code = Reprobe.execute(left.subList(0, end).toArray(String[]::new));
            if (code == ExitCode.BAD_INPUT) {
                System.exit(code);
            }
            left.subList(0, Math.min(left.size(), end + 1)).clear();
        }
    }
}

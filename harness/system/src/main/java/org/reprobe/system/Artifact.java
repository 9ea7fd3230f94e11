package org.reprobe.system;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Programs that a cell measures where that is not Reprobe itself. Results record their version.
 *
 * @param folder the folder whose git commit is the version; null where there is none
 * @param files programs, scripts and jars, without those that only start others
 * @param version a text, or a command whose first line of output is the version; empty to use the commit, or else the files
 * @param workingFolder in which the command is run
 */
public record Artifact(@Nullable Path folder, List<Path> files, List<String> version, Path workingFolder) {
    public Artifact {
        files = List.copyOf(files);
        version = List.copyOf(version);
    }
}

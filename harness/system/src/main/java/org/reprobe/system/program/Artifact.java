package org.reprobe.system.program;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * External programs that a cell measures. Results record their version.
 *
 * @param folder folder whose git commit is the version; null if there is none
 * @param files programs, scripts and jars, without launchers
 * @param version a text, or a command that prints the version in its first line. If empty, the version is the folder's
 *     commit, otherwise a hash of the files
 */
public record Artifact(@Nullable Path folder, List<Path> files, List<String> version, Path workingFolder) {
    public Artifact {
        files = List.copyOf(files);
        version = List.copyOf(version);
    }
}

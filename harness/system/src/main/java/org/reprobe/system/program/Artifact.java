package org.reprobe.system.program;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * External programs measured by a cell, whose version results record.
 *
 * @param folder whose git commit is the version; null for none
 * @param files programs, scripts and jars, without launchers
 * @param version a text, or a command that prints the version in its first line; empty to use the commit, otherwise the
 * files
 * @param workingFolder of the command
 */
public record Artifact(@Nullable Path folder, List<Path> files, List<String> version, Path workingFolder) {
    public Artifact {
        files = List.copyOf(files);
        version = List.copyOf(version);
    }
}

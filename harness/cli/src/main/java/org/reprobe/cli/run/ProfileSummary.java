package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.FileFailure;
import org.reprobe.cli.base.TextTable;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.Profiling;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.process.ShellWord;

/** Recordings of profiled runs; {@code unread} is the reason why one can't be read, or null. */
record ProfileSummary(
        boolean profiled,
        List<Path> recordings,
        List<HotMethods> roles,
        @Nullable String unread) {
    ProfileSummary {
        recordings = List.copyOf(recordings);
        roles = List.copyOf(roles);
    }

    static ProfileSummary of(List<ResultFolder> folders) {
        List<ResultFolder> profiled = folders.stream()
                .filter(folder -> Profiling.isOf(folder.environment()))
                .toList();
        if (profiled.isEmpty() || !Profiling.isPossible()) {
            return new ProfileSummary(false, List.of(), List.of(), null);
        }
        List<Path> recordings = new ArrayList<>();
        try {
            for (ResultFolder folder : profiled) {
                for (Path place : folder.profiles()) {
                    recordings.addAll(HotMethods.recordings(place));
                }
            }
            return new ProfileSummary(true, recordings, HotMethods.of(recordings), null);
        } catch (IOException e) {
            return new ProfileSummary(true, recordings, List.of(), FileFailure.words(e));
        }
    }

    void print(PrintWriter out) {
        if (!profiled) {
            return;
        }
        for (HotMethods role : roles) {
            out.println("Profile, " + role.role() + ": " + Quantities.count(role.samples(), "sample") + " in "
                    + Quantities.count(role.recordings(), "recording")
                    + (role.nativeSamples() == 0
                            ? ""
                            : "; " + role.nativeSamples() + " more in native code, where threads also wait"));
            TextTable table = new TextTable("rrl", "share", "samples", "method");
            for (HotMethods.Method method : role.methods()) {
                table.add(
                        String.format(Locale.ROOT, "%.1f %%", 100.0 * method.samples() / role.samples()),
                        "" + method.samples(),
                        method.name());
            }
            out.print(role.methods().isEmpty() ? "" : table.toString());
        }
        if (unread != null) {
            out.println("Profile: a recording can't be read: " + unread);
        }
        if (recordings.isEmpty()) {
            out.println("Profile: no recordings: no profiled run succeeded.");
            return;
        }
        String first = ShellWord.typed(recordings.getFirst().toString());
        out.println("Recordings: " + Quantities.count(recordings.size(), "file")
                + "; open them with JDK Mission Control, or\n    jfr view hot-methods " + first
                + "\n    jfr summary " + first);
    }
}

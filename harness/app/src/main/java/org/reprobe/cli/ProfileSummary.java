package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.ResultFolder;

/** What is printed of the recordings of profiled runs: in which methods each role's threads were, and where the files are. */
final class ProfileSummary {
    private ProfileSummary() {}

    /** Prints it; recordings that can't be read are told, since results don't depend on them. */
    static void print(PrintWriter out, Path results) {
        try {
            List<Path> recordings = new ArrayList<>();
            for (Path folder : ResultFolder.profiles(results)) {
                recordings.addAll(HotMethods.recordings(folder));
            }
            for (HotMethods role : HotMethods.of(recordings)) {
                out.println("Profile, " + role.role() + ": " + Quantities.count(role.samples(), "sample") + " in "
                        + Quantities.count(role.recordings(), "recording")
                        + (role.nativeSamples() == 0 ? "" : ", and " + role.nativeSamples() + " in native code"));
                TextTable table = new TextTable("rrl", "share", "samples", "method");
                for (HotMethods.Method method : role.methods()) {
                    table.add(
                            String.format(Locale.ROOT, "%.1f %%", 100.0 * method.samples() / role.samples()),
                            "" + method.samples(),
                            method.name());
                }
                out.print(role.methods().isEmpty() ? "" : table.toString());
            }
            out.println(
                    recordings.isEmpty()
                            ? "Profile: no recordings, since no run ended well."
                            : "Recordings: " + Quantities.count(recordings.size(), "file")
                                    + "; JDK Mission Control opens them, and so does the JDK's\n    jfr view hot-methods "
                                    + recordings.getFirst() + "\n    jfr summary " + recordings.getFirst());
        } catch (IOException e) {
            out.println("Profile: the recordings can't be read: " + Reprobe.words(e));
        }
        out.flush();
    }
}

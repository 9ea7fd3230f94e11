package org.reprobe.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;
import org.reprobe.system.program.Artifact;
import org.reprobe.system.program.Executable;
import org.reprobe.system.program.ExternalProgram;
import org.reprobe.trust.Printable;

/**
 * Version of the measured artifact other than Reprobe: programs of {@code scheme: command}, and systems of a project's
 * jars. It is {@code command.version}, else the git commit of the artifact's folder, else a hash of its files.
 */
public final class ArtifactVersion {
    /** Key in {@code environment.json}: SHA-256 of each file. */
    static final String FILES = "artifact-files";

    private static final String SHA_256 = "sha256:";
    private static final List<String> JARS = List.of("", "lib", "target");
    private static final long MAX_HASHED_BYTES = 256 << 20;
    private static final int DIGITS = 16;
    private static final int MAX_TEXT = 200;
    private static final long LIMIT_S = 10;

    private final Map<Path, Map<String, String>> repositories = new LinkedHashMap<>();
    private final Map<Path, String> hashes = new TreeMap<>();

    private ArtifactVersion() {}

    /**
     * Returns the facts for {@code environment.json} on the artifacts that a plan measures; none if it measures Reprobe
     * alone. Fails if a command for the version fails.
     */
    public static Map<String, String> facts(RunPlan plan) throws InvalidInputException {
        Map<Artifact, String> artifacts = new LinkedHashMap<>(); // with a scenario that uses it
        for (RunPlan.Unit unit : plan.units()) {
            if (unit.repeat() == 0) {
                Artifact artifact = artifact(unit.settings());
                if (artifact != null) {
                    artifacts.putIfAbsent(artifact, unit.scenario().name());
                }
            }
        }
        ArtifactVersion versions = new ArtifactVersion();
        Map<String, Set<String>> all = new LinkedHashMap<>();
        for (Map.Entry<Artifact, String> one : artifacts.entrySet()) {
            versions.of(one.getKey(), one.getValue())
                    .forEach((key, value) ->
                            all.computeIfAbsent(key, _ -> new TreeSet<>()).add(value));
        }
        Map<String, String> facts = new LinkedHashMap<>();
        all.forEach((key, values) -> facts.put(key, String.join(", ", values)));
        facts.computeIfPresent(HistoryEntry.ARTIFACT_CHANGES, (_, value) -> value.contains("yes") ? "yes" : value);
        return facts;
    }

    /** Returns the reason why runs of one artifact may not join stored ones; null if they may. */
    public static @Nullable String difference(Map<String, String> stored, Map<String, String> here) {
        String before = words(stored);
        String now = words(here);
        // A node of a cluster may have no git: then only the files are known.
        boolean sameFiles = HistoryEntry.version(here).startsWith(SHA_256)
                && stored.getOrDefault(FILES, "").equals(here.get(FILES));
        return before.isEmpty() || before.equals(now) || sameFiles
                ? null
                : "was begun with " + before + (now.isEmpty() ? "" : ", and here is " + now)
                        + ": results of different versions can't be merged. Use that version, or a new folder";
    }

    public static String words(Map<String, String> environment) {
        String version = HistoryEntry.version(environment);
        return environment.containsKey(HistoryEntry.ARTIFACT)
                ? environment.get(HistoryEntry.ARTIFACT) + ", version " + version
                        + (HistoryEntry.isModified(environment) ? " with uncommitted changes" : "")
                : "";
    }

    private static @Nullable Artifact artifact(Settings settings) {
        SystemUnderTest system = Systems.of(settings.scheme());
        Artifact artifact = system instanceof ExternalProgram program
                ? program.artifact(settings).orElse(null)
                : null;
        String project = System.getProperty("reprobe.project", "");
        if (artifact != null || project.isEmpty()) {
            return artifact;
        }
        try {
            Path folder = Path.of(project).toRealPath();
            CodeSource source = system.getClass().getProtectionDomain().getCodeSource();
            if (source == null
                    || !Path.of(source.getLocation().toURI()).toRealPath().startsWith(folder)) {
                return null;
            }
            List<Path> jars = new ArrayList<>();
            for (String each : JARS) { // those that run.sh has on the class path
                Path dir = folder.resolve(each);
                if (Files.isDirectory(dir)) {
                    try (DirectoryStream<Path> files = Files.newDirectoryStream(dir, "*.jar")) {
                        files.forEach(jars::add);
                    }
                }
            }
            return new Artifact(folder, jars, List.of(), folder);
        } catch (IOException | URISyntaxException e) {
            return null; // not a file, so not of the project
        }
    }

    private Map<String, String> of(Artifact artifact, String scenario) throws InvalidInputException {
        Path folder = artifact.folder();
        Map<String, String> facts = new LinkedHashMap<>();
        if (folder != null) {
            facts.putAll(repositories.computeIfAbsent(folder, ArtifactVersion::repository));
        }
        if (!facts.containsKey(HistoryEntry.ARTIFACT)) {
            Path named = folder != null
                    ? folder
                    : artifact.files().isEmpty() ? null : artifact.files().getFirst();
            facts.put(HistoryEntry.ARTIFACT, named == null ? "unknown" : named.getFileName() + "");
        }
        StringBuilder files = new StringBuilder();
        for (Path file : artifact.files()) {
            String name = folder != null && file.startsWith(folder) ? folder.relativize(file) + "" : file + "";
            files.append(files.isEmpty() ? "" : ", ")
                    .append(name)
                    .append(' ')
                    .append(hashes.computeIfAbsent(file, ArtifactVersion::hash));
        }
        if (!artifact.version().isEmpty()) {
            facts.put(HistoryEntry.ARTIFACT_VERSION, given(artifact, scenario));
            facts.remove(HistoryEntry.ARTIFACT_CHANGES);
        } else if (!facts.containsKey(HistoryEntry.ARTIFACT_VERSION)) {
            facts.put(
                    HistoryEntry.ARTIFACT_VERSION,
                    files.isEmpty()
                            ? HistoryEntry.UNKNOWN
                            : artifact.files().size() == 1
                                    ? hashes.get(artifact.files().getFirst())
                                    : SHA_256 + hash(files.toString()));
        }
        if (!files.isEmpty()) {
            facts.put(FILES, files.toString());
        }
        return facts;
    }

    /** Returns the scenario's version: a text, or the first line of a command's output. */
    private static String given(Artifact artifact, String scenario) throws InvalidInputException {
        String first = artifact.version().getFirst();
        Path program = Executable.find(first, artifact.workingFolder());
        if (artifact.version().size() == 1 && (!first.contains("/") || program == null)) {
            return text(first);
        }
        String command = String.join(" ", artifact.version());
        ProgramResult result;
        try {
            result = ProgramResult.of(
                    new ProcessBuilder(artifact.version())
                            .directory(artifact.workingFolder().toFile()),
                    LIMIT_S);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            result = new ProgramResult(ProgramResult.NONE, "", "was interrupted");
        }
        String version = text(
                result.out().lines().filter(line -> !line.isBlank()).findFirst().orElse(""));
        if (result.code() == 0 && !version.isEmpty()) {
            return version;
        }
        String problem = result.code() == ProgramResult.NONE
                ? result.err()
                : result.code() == 0
                        ? "printed nothing on standard output"
                        : "failed (exit code " + result.code() + ")";
        throw new InvalidInputException(
                scenario,
                "command.version: \"" + command + "\" " + problem
                        + ". It must print the version of the programs in its first line");
    }

    private static String text(String version) {
        String text = Printable.line(version.strip());
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    }

    /** Returns name, commit and changes of the git repository that tracks a folder's files; none without one. */
    private static Map<String, String> repository(Path folder) {
        Map<String, String> facts = new LinkedHashMap<>();
        String commit = Environment.git(folder, "rev-parse", "HEAD");
        String tracked = Environment.git(folder, "ls-files", "--", ".");
        if (commit.equals(HistoryEntry.UNKNOWN) || tracked.equals(HistoryEntry.UNKNOWN) || tracked.isEmpty()) {
            return facts;
        }
        String remote = Environment.git(folder, "config", "--get", "remote.origin.url");
        String top = Environment.git(folder, "rev-parse", "--show-toplevel");
        String prefix = Environment.git(folder, "rev-parse", "--show-prefix");
        String name = remote.equals(HistoryEntry.UNKNOWN) ? top : remote.replaceFirst("/*(\\.git)?/*$", "");
        facts.put(
                HistoryEntry.ARTIFACT,
                (name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1) + "/" + prefix)
                        .replaceFirst("/+$", ""));
        facts.put(HistoryEntry.ARTIFACT_VERSION, commit);
        String changes = Environment.git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".");
        facts.put(
                HistoryEntry.ARTIFACT_CHANGES,
                changes.equals(HistoryEntry.UNKNOWN) ? changes : changes.isEmpty() ? "no" : "yes");
        return facts;
    }

    private static String hash(Path file) {
        try {
            if (Files.size(file) > MAX_HASHED_BYTES) {
                return Files.size(file) + " bytes of " + Files.getLastModifiedTime(file);
            }
            MessageDigest digest = sha256();
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return SHA_256 + HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
        } catch (IOException e) {
            return "unreadable";
        }
    }

    private static String hash(String text) {
        return HexFormat.of()
                .formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)))
                .substring(0, DIGITS);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}

package org.reprobe.run;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.WholeFile;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code environment.json}: origin of results, by name; all values are text. */
public final class Environment {
    static final String NAME = "environment.json";
    static final String DURATION = "duration";
    static final String LEGS = "legs";
    private static final String UNKNOWN = "unknown";
    private static final long GIT_LIMIT_S = 30;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Environment() {}

    public static String version() {
        Properties properties = new Properties();
        try (InputStream in = Environment.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "unknown");
    }

    static Map<String, String> current(Path home) {
        Map<String, String> here = new LinkedHashMap<>();
        here.put("reprobe", version());
        putSource(home, here);
        here.put("jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        here.put("cpu", field("/proc/cpuinfo", "model name"));
        here.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
        here.put("governor", line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            here.put("memory", Quantities.bytes(system.getTotalMemorySize()));
        }
        here.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        here.put("os", field("/etc/os-release", "PRETTY_NAME").replace("\"", ""));
        here.put("architecture", System.getProperty("os.arch"));
        String nodes = System.getenv("SLURM_JOB_NODELIST");
        if (nodes != null && !"1".equals(System.getenv("SLURM_JOB_NUM_NODES"))) {
            here.put("slurm-nodes", nodes);
        }
        return here;
    }

    /** Returns this machine's name; in a Slurm job Slurm's name for it. */
    public static String host() {
        String slurms = System.getenv("SLURMD_NODENAME");
        String host = slurms != null ? slurms : line("/proc/sys/kernel/hostname");
        return host.replaceAll("[^A-Za-z0-9._-]", "-");
    }

    /** Returns the commit from which this program was built; "unknown" if it can't be determined. */
    static String commit(Path home) {
        Map<String, String> source = new LinkedHashMap<>();
        putSource(home, source);
        return source.getOrDefault("commit", UNKNOWN);
    }

    /** Returns this machine's RDMA devices; virtual ones are marked as software RDMA. */
    public static String rdmaDevices() {
        List<String> devices = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/sys/class/infiniband"))) {
            for (Path device : files.sorted().toList()) {
                boolean virtual = device.toRealPath().startsWith("/sys/devices/virtual");
                devices.add(device.getFileName() + (virtual ? " (software RDMA)" : ""));
            }
        } catch (IOException e) {
            // No devices.
        }
        return devices.isEmpty() ? "none" : String.join(", ", devices);
    }

    /** Adds a leg's duration in s, null if it was killed; {@code duration} is the sum of {@code legs}. */
    static void addLeg(Map<String, String> environment, @Nullable Double seconds) {
        String leg = seconds == null ? UNKNOWN : String.format(Locale.ROOT, "%.1f s", seconds);
        String before = environment.getOrDefault(LEGS, environment.get(DURATION)); // old folders have no legs
        String legs = before == null ? leg : before + ", " + leg;
        double sum = 0;
        for (String each : legs.split(", ", -1)) {
            String number = each.replaceFirst(" s$", "");
            sum += number.matches("\\d{1,12}(\\.\\d{1,3})?") ? Double.parseDouble(number) : 0;
        }
        environment.put(LEGS, legs);
        environment.put(DURATION, String.format(Locale.ROOT, "%.1f s", sum));
    }

    static void write(Path folder, Map<String, String> environment) throws IOException {
        WholeFile.write(
                folder.resolve(NAME), JSON.writerWithDefaultPrettyPrinter().writeValueAsString(environment) + "\n");
    }

    static Map<String, String> read(Path folder) throws InvalidInputException {
        Path file = folder.resolve(NAME);
        try {
            JsonNode node = JSON.readTree(Document.text(file));
            Map<String, String> environment = new LinkedHashMap<>();
            node.forEachEntry((key, value) -> environment.put(key, value.asString("")));
            return environment;
        } catch (JacksonException e) {
            throw new InvalidInputException(file, "is damaged");
        }
    }

    /** Adds the program's source version: from its manifest, or from git in the folder of the build. */
    private static void putSource(Path home, Map<String, String> here) {
        Path packaged = home.resolve("build.properties");
        if (Files.exists(packaged)) {
            for (String name : List.of("commit", "uncommitted-changes")) {
                here.put(name, field(packaged.toString(), name));
            }
            return;
        }
        here.put("commit", git(home, "rev-parse", "HEAD"));
        String changes = git(home, "status", "--porcelain", "--untracked-files=no");
        here.put("uncommitted-changes", changes.equals("unknown") ? changes : changes.isEmpty() ? "no" : "yes");
    }

    static String git(Path home, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", home.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        // Git's hooks set these, which would select another repository.
        builder.environment().keySet().removeAll(List.of("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"));
        builder.environment().put("GIT_OPTIONAL_LOCKS", "0"); // the user may be about to commit
        try {
            ProgramResult result = ProgramResult.of(builder, GIT_LIMIT_S);
            return result.code() == 0 ? result.out().strip() : UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }

    private static String line(String file) {
        try {
            return Files.readAllLines(Path.of(file)).stream().findFirst().orElse("unknown");
        } catch (IOException e) {
            return "unknown"; // a virtual machine has none
        }
    }

    /** Returns the value of the first {@code name} in a file of "name: value" or "name=value" lines. */
    private static String field(String file, String name) {
        try {
            for (String line : Files.readAllLines(Path.of(file))) {
                if (line.startsWith(name)) {
                    return line.substring(name.length()).replaceFirst("^\\s*[:=]\\s*", "");
                }
            }
        } catch (IOException e) {
            // Not Linux.
        }
        return "unknown";
    }
}

package org.reprobe.scenario;

import java.math.BigDecimal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.EnumWord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultSpec;
import org.reprobe.system.FaultSpec.Kind;
import org.reprobe.system.MachinesTestable;
import org.reprobe.system.Run;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import tools.jackson.databind.JsonNode;

/** Checks of a fault's combination of keys: nonexistent machines, times after the end, impossible faults. */
final class FaultChecks {
    private static final String TIMEOUT = "connection.timeout";
    /** Real fabrics whose clients continue when a server's process is killed. */
    private static final Set<String> FAILING = Set.of("shm", "tcp");

    private static final Pattern MACHINE = Pattern.compile("(server|client)(?:-([0-9]+|any))?");

    /** Keys that only some kinds of faults read, with their defaults. */
    private static final List<OfKinds> OF_KINDS = List.of(
            new OfKinds("to", "server", Set.of(Kind.CUT, Kind.DELAY)),
            new OfKinds("way", "both", Set.of(Kind.CUT)),
            new OfKinds("memory", "kept", Set.of(Kind.CRASH)),
            new OfKinds("times", "10.0", Set.of(Kind.SLOW_CPU, Kind.SLOW_CARD)),
            new OfKinds("delay-us", "100.0", Set.of(Kind.DELAY)));

    private record OfKinds(String name, String byDefault, Set<Kind> kinds) {
        boolean isDefault(JsonNode given) {
            return given.isNumber()
                    ? given.asDouble() == Double.parseDouble(byDefault)
                    : given.asString("").equals(byDefault);
        }
    }

    private final Document document;
    private final Set<String> wrong;
    private final List<FaultSpec> faults;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final boolean[] used;

    FaultChecks(Document document, Set<String> wrong, List<FaultSpec> faults) {
        this.document = document;
        this.wrong = wrong;
        this.faults = faults;
        this.used = new boolean[faults.size()];
        for (int i = 0; i < faults.size(); i++) {
            checkKeys(i);
        }
    }

    Set<Problem> problems() {
        for (int i = 0; i < used.length; i++) {
            if (!used[i] && wrong.isEmpty()) {
                problems.add(document.problem("/faults/" + i + "/where", "no cell has these values"));
            }
        }
        return problems;
    }

    void check(Settings settings, Run any, Cell cell) {
        for (int i = 0; i < faults.size(); i++) {
            FaultSpec fault = faults.get(i);
            if (cell.matches(fault.where())) {
                used[i] = true;
                check(settings, any, fault, "/faults/" + i);
            }
        }
    }

    private void checkKeys(int index) {
        String at = "/faults/" + index;
        FaultSpec fault = faults.get(index);
        for (OfKinds key : OF_KINDS) {
            JsonNode given = document.root().at(at + "/" + key.name());
            if (!key.kinds().contains(fault.kind()) && !given.isMissingNode() && !key.isDefault(given)) {
                complain(
                        at + "/" + key.name(),
                        "a fault of kind " + EnumWord.of(fault.kind()) + " does not read " + key.name());
            }
        }
        if (fault.kind() == Kind.KILL) {
            if (!fault.machine().startsWith("client")) {
                complain(at + "/machine", "only client processes can be killed: client-N, or client-any");
            }
            if (fault.forMs() > 0) {
                complain(at + "/for-ms", "a killed process does not return");
            }
        }
    }

    private void check(Settings settings, Run any, FaultSpec fault, String at) {
        boolean clientsServe = any instanceof Deployment deployment && deployment.clientsServe();
        if (settings.isReal()) {
            checkReal(settings, any, fault, at);
        } else if (!ScenarioKeys.declaredBy(settings.scheme()).contains(TIMEOUT)) {
            complain(
                    at,
                    "clients of scheme " + settings.scheme()
                            + " do not reconnect after a fault: its system does not read " + TIMEOUT);
        } else if (settings.workload().operation() == Settings.Operation.PREDICT) {
            complain(at, "operation predict runs nothing; use operation lookup");
        }
        double durationMs = settings.measure().durationMs();
        if (fault.atMs() >= durationMs) {
            complain(
                    at + "/at-ms",
                    "at-ms is %s, but the measured interval ends after %s ms (measure.duration-ms)"
                            .formatted(plain(fault.atMs()), plain(durationMs)));
        }
        checkMachine(settings, clientsServe, fault.machine(), fault.kind() == Kind.KILL, at + "/machine");
        if (fault.kind() == Kind.CUT || fault.kind() == Kind.DELAY) {
            checkMachine(settings, clientsServe, fault.to(), false, at + "/to");
            if (fault.machine().equals(fault.to())
                    && !fault.machine().endsWith("any")
                    && (!clientsServe || !fault.machine().contains("any"))) {
                complain(at + "/to", "a machine has no link to itself");
            }
        }
    }

    /** Checks a fault on a real fabric, where only a machine's process can fail. */
    private void checkReal(Settings settings, Run any, FaultSpec fault, String at) {
        if (!(any instanceof Deployment deployment) || !deployment.machinesMayFail()) {
            String conditions = Systems.with(MachinesTestable.class).stream()
                    .map(system -> system.machinesTest().condition())
                    .collect(Collectors.joining(", "));
            complain(
                    at,
                    "faults need fabric sim, not " + settings.fabric() + ", unless machines may fail (" + conditions
                            + ")");
        } else if (!FAILING.contains(settings.fabric())) {
            complain(at, "faults can't be injected over " + settings.fabric() + ": use sim, shm or tcp");
        } else {
            if (!settings.hosts().areLocal()) {
                complain(
                        at,
                        "faults can't be injected on other hosts: run all processes on this host, or use fabric sim");
            }
            if (fault.memory() == FaultSpec.Memory.LOST) {
                complain(
                        at + "/memory",
                        "no effect over " + settings.fabric()
                                + ": the fabric determines what happens to a killed process's memory");
            }
        }
    }

    private void checkMachine(Settings settings, boolean clientsServe, String name, boolean process, String at) {
        Matcher matcher = MACHINE.matcher(name);
        if (!matcher.matches() || matcher.group(2) == null || matcher.group(2).equals("any")) {
            return;
        }
        boolean ofClients = matcher.group(1).equals("client") || clientsServe;
        int count = process
                ? settings.clients().total()
                : ofClients ? settings.clients().machines() : 1;
        if (Integer.parseInt(matcher.group(2)) >= count) {
            String what = process ? "client" : ofClients ? "client machine" : "server";
            complain(
                    at,
                    "there is no " + name + ": the cell has " + Quantities.count(count, what) + ", the last is "
                            + matcher.group(1) + "-" + (count - 1));
        }
    }

    private void complain(String pointer, String message) {
        if (wrong.isEmpty()) {
            problems.add(document.problem(pointer, message));
        }
    }

    private static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }
}

package org.reprobe.run.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.RunPlan;
import org.reprobe.system.Settings;

/** Whether clients can connect to servers: tried before time goes into tables that nobody could reach. */
final class Reachability {
    /** What fails before anything was ever reached fails again: one more attempt, in case that a process was killed. */
    private static final int MAX_ATTEMPTS = 2;

    private final Set<String> reachable = new HashSet<>();
    private final Map<String, Unreached> unreachable = new HashMap<>();

    /** A place whose clients could not connect to its servers. */
    private record Unreached(String why, int attempts) {}

    /** What decides whether clients can connect to servers. */
    private static String place(RunPlan.Unit unit) {
        Settings settings = unit.settings();
        return settings.fabric() + " " + settings.clients().machines() + " " + settings.hosts() + " "
                + unit.deployment().clientsServe();
    }

    /** Why no further attempt is worth the time; null when one is. */
    @Nullable
    String whyHopeless(RunPlan.Unit unit) {
        Unreached unreached = unreachable.get(place(unit));
        return unreached == null || unreached.attempts < MAX_ATTEMPTS ? null : unreached.why;
    }

    /** Notes that a run has failed, by which a place that was never reached gets an attempt less. */
    void failed(RunPlan.Unit unit, String why) {
        String place = place(unit);
        if (!reachable.contains(place)) {
            Unreached before = unreachable.get(place);
            unreachable.put(place, new Unreached(why, before == null ? 1 : before.attempts + 1));
        }
    }

    /**
     * Lets every client process connect to every server, unless those of its place have done so before.
     *
     * @throws FabricException when one can't; in words
     */
    void check(RunPlan.Unit unit, CellProcesses processes) throws FabricException, IOException, InterruptedException {
        String place = place(unit);
        if (reachable.contains(place)) {
            return;
        }
        Message.Cell cell = CellProcesses.cell(unit);
        List<WorkerProcess> servers = processes.servers(unit);
        for (WorkerProcess server : servers) {
            server.send(new Message.Open(cell, processes.address(server)));
        }
        List<Message.Opened> opened = processes.collect(servers, Message.Opened.class, 0, "opening the fabric");
        for (WorkerProcess client : processes.clients()) {
            List<String> endpoints = new ArrayList<>();
            for (int i = 0; i < servers.size(); i++) {
                endpoints.add(client.sealAgain(opened.get(i).endpoint(), servers.get(i)));
            }
            client.send(new Message.Reach(cell, endpoints, CellProcesses.own(servers, client)));
            processes.collect(List.of(client), Message.Reached.class, 0, "connecting");
        }
        reachable.add(place);
        unreachable.remove(place);
    }
}

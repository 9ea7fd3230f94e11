package org.reprobe.explore;

import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Faults of a trial: past ones, possible ones, and their effects. */
final class Faults {
    private final World world;
    private final ExplorationLimits limits;
    private final int clients;
    private final List<Program> programs;
    private final List<ExploredServer> servers;
    private int crashes;
    private int breaks;
    private int failures;
    private int cuts;
    private final Links links;
    private final BitSet down = new BitSet();

    Faults(World world) {
        this.world = world;
        this.limits = world.limits();
        this.clients = world.clients();
        this.programs = world.programs();
        this.servers = world.servers();
        this.links = new Links(clients, world.trial().servers());
    }

    void reset() {
        crashes = 0;
        breaks = 0;
        failures = 0;
        cuts = 0;
        links.mendAll();
        down.clear();
    }

    boolean isDown(int server) {
        return down.get(server);
    }

    boolean mayFailMachine() {
        return failures < limits.failures();
    }

    private int machineOf(Program program) {
        return world.isServer(program) ? world.serverOf(program).number() : links.machineOf(program.index);
    }

    /** Returns true if the server to which a program last failed to connect is still unreachable. */
    boolean isPartitioned(Program program) {
        int server = program.partitionedFrom;
        if (server == Program.NONE) {
            return false;
        }
        int from = machineOf(program);
        return down.get(server) || !links.carries(from, server) || !links.carries(server, from);
    }

    /** Returns the machine of a queue pair's other end; the queue pair's own if there is no other end any more. */
    private int otherMachine(ExploredQueuePair queuePair) {
        ExploredQueuePair other = queuePair.peer;
        if (queuePair.server() != ExploredQueuePair.ACCEPTED) {
            return queuePair.server();
        }
        return machineOf(other == null ? queuePair.owner() : other.owner());
    }

    /** Returns true if requests of a queue pair reach the other end's machine. */
    boolean reaches(ExploredQueuePair queuePair) {
        return links.allCarry() || links.carries(machineOf(queuePair.owner()), otherMachine(queuePair));
    }

    /** Returns true if acknowledgements and replies reach this end's machine. */
    boolean replyReaches(ExploredQueuePair queuePair) {
        return links.allCarry() || links.carries(otherMachine(queuePair), machineOf(queuePair.owner()));
    }

    /** Returns true if a server can be notified of a client's death or broken connection. */
    private boolean isUnnoticed(int client, ExploredServer server) {
        return !down.get(server.number())
                && server.program().wait == Program.Wait.ANY_EVENT
                && programs.get(client).queuePairs.stream().anyMatch(queuePair -> isUnnoticed(queuePair, server));
    }

    private static boolean isUnnoticed(ExploredQueuePair queuePair, ExploredServer server) {
        ExploredQueuePair other = queuePair.peer;
        return other != null
                && !queuePair.noticed
                && (queuePair.owner().crashed || queuePair.isCut() || other.isCut())
                && other.owner() == server.program();
    }

    boolean anyUnnoticed(ExploredServer server) {
        for (int i = 0; i < clients; i++) {
            if (isUnnoticed(i, server)) {
                return true;
            }
        }
        return false;
    }

    /** Adds inevitable consequences of faults. */
    int addConsequences(int[] into, int from) {
        int count = from;
        for (ExploredServer server : servers) {
            for (int i = 0; i < clients; i++) {
                if (isUnnoticed(i, server)) {
                    into[count++] = Action.of(Action.NOTICE, i, server.number());
                }
            }
        }
        for (int server = down.nextSetBit(0); server >= 0; server = down.nextSetBit(server + 1)) {
            into[count++] = Action.of(Action.RESTART, processOf(server), server);
        }
        if (limits.cuts() > 0) {
            count = addEndsOfCuts(into, count);
        }
        for (Program program : programs) {
            count = addLosses(program, into, count);
        }
        return count;
    }

    /** Adds inevitable ends of link cuts. */
    private int addEndsOfCuts(int[] into, int from) {
        int count = from;
        for (Program program : programs) {
            for (int i = 0; i < program.queuePairs.size() && !program.over(); i++) {
                if (program.queuePairs.get(i).canGiveUp()) {
                    into[count++] = Action.of(Action.GIVE_UP, program.index, i);
                }
            }
        }
        for (Links.Link link : links.all()) {
            if (!links.isWhole(link)) {
                into[count++] = Action.of(Action.MEND, link.client(), Links.code(link.server(), Links.Way.BOTH));
            }
        }
        return count;
    }

    private static int addLosses(Program program, int[] into, int from) {
        int count = from;
        for (int i = 0; i < program.queuePairs.size(); i++) {
            if (program.queuePairs.get(i).canLose()) {
                into[count++] = Action.of(Action.LOSE, program.index, i);
            }
        }
        return count;
    }

    int addNew(int[] into, int from) {
        int count = from;
        for (int i = 0; i < clients; i++) {
            Program program = programs.get(i);
            if (program.over()) {
                continue;
            }
            count = addBreaks(program, into, count);
            boolean busy = program.inOperation || program.queuePairs.stream().anyMatch(queuePair -> !queuePair.idle());
            if (busy && crashes < limits.crashes()) {
                into[count++] = Action.of(Action.CRASH, i, 0);
            }
        }
        if (mayFailMachine() && !world.clientsOver()) {
            for (int server = 0; server < world.trial().servers(); server++) {
                if (!down.get(server) && world.trial().mayFail(server)) {
                    into[count++] = Action.of(Action.FAIL, processOf(server), server);
                }
            }
        }
        return addCuts(into, count);
    }

    private int addCuts(int[] into, int from) {
        int count = from;
        for (int i = 0; i < links.all().size() && cuts < limits.cuts() && !world.clientsOver(); i++) {
            Links.Link link = links.all().get(i);
            for (int way = 0; way < Links.Way.ALL.size() && links.isWhole(link); way++) {
                into[count++] = Action.of(Action.CUT, link.client(), Links.code(link.server(), Links.Way.ALL.get(way)));
            }
        }
        return count;
    }

    int addBreaks(Program program, int[] into, int from) {
        int count = from;
        for (int i = 0; i < program.queuePairs.size(); i++) {
            if (breaks < limits.breaks() && program.queuePairs.get(i).canBreak()) {
                into[count++] = Action.of(Action.BREAK, program.index, i);
            }
        }
        return count;
    }

    /** Returns the program that represents a server's machine; the first one for a passive server. */
    private int processOf(int server) {
        ExploredServer found = serverNumbered(server);
        return found == null ? 0 : found.program().index;
    }

    private @Nullable ExploredServer serverNumbered(int number) {
        for (ExploredServer server : servers) {
            if (server.number() == number) {
                return server;
            }
        }
        return null;
    }

    private void fail(int number) {
        failures++;
        down.set(number);
        for (Program program : programs) {
            for (ExploredQueuePair queuePair : program.queuePairs) {
                if (queuePair.server() == number) {
                    queuePair.cut(false);
                    queuePair.peer = null;
                }
            }
        }
        world.memory().transactions().reset();
        for (int i = 0; i < clients; i++) {
            programs.get(i).crashed |= world.isOn(i, number) && !programs.get(i).ended;
        }
        ExploredServer server = serverNumbered(number);
        if (server != null) {
            server.program().fail();
            server.reset();
        }
        world.changed(null);
    }

    private void restart(int number) {
        down.clear(number);
        ExploredServer server = serverNumbered(number);
        if (server != null) {
            server.program().restart();
        }
        world.changed(null);
    }

    /** Performs a fault or a consequence; returns false for any other action. */
    boolean perform(int action, Program program) {
        Timeline timeline = world.timeline();
        switch (Action.kind(action)) {
            case Action.CRASH -> {
                timeline.add(program, () -> "dies");
                program.crashed = true;
                crashes++;
            }
            case Action.NOTICE -> {
                timeline.add(
                        program,
                        () -> "server " + Action.queuePair(action) + " is notified of its "
                                + (program.crashed ? "death" : "broken connection"));
                ExploredServer server = Objects.requireNonNull(serverNumbered(Action.queuePair(action)));
                for (ExploredQueuePair queuePair : program.queuePairs) {
                    queuePair.noticed |= isUnnoticed(queuePair, server);
                }
                world.scheduler().resume(server.program());
            }
            case Action.BREAK -> {
                ExploredQueuePair queuePair = program.queuePairs.get(Action.queuePair(action));
                timeline.add(program, () -> "its connection " + queuePair.number() + " breaks");
                queuePair.cut(true);
                breaks++;
            }
            case Action.GIVE_UP -> {
                ExploredQueuePair queuePair = program.queuePairs.get(Action.queuePair(action));
                timeline.add(program, () -> "its connection " + queuePair.number() + " times out");
                queuePair.cut(true);
            }
            case Action.CUT -> {
                int code = Action.queuePair(action);
                timeline.add(
                        program,
                        () -> "the link to server " + Links.serverOf(code) + " is cut, " + Links.wayOf(code).words);
                links.cut(program.index, code);
                cuts++;
            }
            case Action.MEND -> {
                int code = Action.queuePair(action);
                timeline.add(program, () -> "the link to server " + Links.serverOf(code) + " is mended");
                links.mend(program.index, code);
                world.changed(null);
            }
            case Action.FAIL -> {
                int number = Action.queuePair(action);
                timeline.add(program, () -> "server " + number + " fails");
                fail(number);
            }
            case Action.RESTART -> {
                int number = Action.queuePair(action);
                timeline.add(program, () -> "server " + number + " restarts");
                restart(number);
            }
            case Action.LOSE -> {
                timeline.add(program, () -> "its posted requests are lost");
                program.queuePairs.get(Action.queuePair(action)).lose();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    long hash(long before) {
        long sum = before;
        if (failures > 0) {
            sum = Mixing.mix(sum, Mixing.mix(failures, down.hashCode()));
        }
        if (cuts > 0) {
            sum = Mixing.mix(sum, Mixing.mix(-3 - cuts, links.hash()));
        }
        return sum;
    }

    /** Returns the servers that have been notified of a client's death, one bit per server. */
    long noticedBy(Program program) {
        long bits = 0;
        for (ExploredQueuePair queuePair : program.queuePairs) {
            ExploredQueuePair other = queuePair.peer;
            if (other != null && queuePair.noticed) {
                bits |= 1L << world.serverOf(other.owner()).number();
            }
        }
        return bits;
    }
}

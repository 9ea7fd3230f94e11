package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.check.Recording;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.UnreachableException;

/**
 * All programs, connections and memory of a trial, and what can happen next.
 *
 * <p>Not everything needs a choice. A program between two waits touches only its own queue pairs and local memory, so it
 * goes on as soon as it can, unless others could notice: when it begins an operation, polls, or is the server, which
 * touches registered memory. Returns are noted at once, since a later return forbids less; and an invocation is followed by
 * a step of the same client, since an earlier one forbids less.
 */
final class World implements HistoryRecorder {
    private static final int NOBODY = -1;
    private static final long[][] NOTHING = {};

    /** How many vain attempts of a client in a row a timeline has. */
    private static final int TOLD_RETRIES = 2;

    private final Trial trial;
    private final ExplorationLimits limits;
    private final int clients;
    private final ServerMemory memory;
    private final List<Program> programs = new ArrayList<>();
    /** Those with a program, in the order of their numbers. */
    private final List<ExploredServer> servers = new ArrayList<>();

    private final Handoff turn;
    private long events;
    private final Recording recording = new Recording(() -> events++);
    private final Program[] invokers;
    private final int[] returnedOf;
    private int last;
    private boolean sticks;
    private int crashes;
    private int breaks;
    private int failures;
    private int cuts;
    private final Links links;
    /** Servers whose machines have failed and not come back. */
    private final BitSet down = new BitSet();

    /** Of a trial whose programs have one. */
    private long clockNs;

    private boolean tooManyPauses;
    private @Nullable String failure;
    private @Nullable Narration narration;
    /** What memory held when a narration was told of it last. */
    private long[][] told = NOTHING;

    World(Trial trial, ExplorationLimits limits, Arena arena, Thread engine) throws FabricException {
        this(trial, limits, arena, engine, new ServerMemory(arena));
    }

    /** With memory in which something may be registered already. */
    World(Trial trial, ExplorationLimits limits, Arena arena, Thread engine, ServerMemory memory)
            throws FabricException {
        this.trial = trial;
        this.limits = limits;
        this.clients = trial.clients();
        this.memory = memory;
        this.links = new Links(clients, trial.servers());
        this.turn = new Handoff(engine);
        this.returnedOf = new int[clients];
        this.invokers = new Program[clients];
        trial.build(new ExploredFabric(memory, trial.servers(), writesLandInOrder()));
        memory.keep();
        for (int i = 0; i < clients; i++) {
            ExploredClient client = new ExploredClient(this, i);
            Program program = new Program(i, turn, arena, () -> trial.run(client, this));
            client.attach(program);
            programs.add(program);
            invokers[i] = program;
        }
        List<? extends @Nullable ServerProgram> serving = trial.serverPrograms();
        for (int i = 0; i < serving.size(); i++) {
            ServerProgram runs = serving.get(i);
            if (runs != null) {
                ExploredServer here = new ExploredServer(this, i, trial.servers());
                Program program = new Program(programs.size(), turn, arena, () -> runs.run(here));
                here.attach(program);
                programs.add(program);
                servers.add(here);
            }
        }
    }

    int atomicReadBytes() {
        return trial.atomicReadBytes();
    }

    boolean writesLandInOrder() {
        return limits.tearing().writesLandInOrder();
    }

    /** A connection of a program's. Each address names its region, whichever server's it is; a passive one does not hear of it. */
    ExploredQueuePair connect(Program program, int server, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        Servers.check(server, trial.servers());
        program.shutOutOf = server;
        if (isShutOut(program)) {
            program.seen = Mixing.mix(program.seen, -13); // who was refused may act otherwise later
            throw new UnreachableException(
                    "no connection to server " + server + (down.get(server) ? ", which is down" : ": the link is cut"));
        }
        program.shutOutOf = Program.NONE;
        ExploredQueuePair made = new ExploredQueuePair(this, program, server, local, options);
        for (ExploredServer each : servers) {
            if (!options.oneSided() && each.number() == server) {
                each.connecting().add(made);
            }
        }
        return made;
    }

    /** Whether a client is on a server's machine: only where there are several, which are clients' machines then. */
    boolean isOn(int client, int server) {
        return trial.servers() > 1 && client % trial.servers() == server;
    }

    private int machineOf(Program program) {
        return isServer(program) ? serverOf(program).number() : links.machineOf(program.index);
    }

    /** Whether a program still can't connect to the server that it tried last. */
    private boolean isShutOut(Program program) {
        int server = program.shutOutOf;
        if (server == Program.NONE) {
            return false;
        }
        int from = machineOf(program);
        return down.get(server) || !links.carries(from, server) || !links.carries(server, from);
    }

    /** The machine of a queue pair's other end; its own when there is none any more. */
    private int otherMachine(ExploredQueuePair queuePair) {
        ExploredQueuePair other = queuePair.peer;
        if (queuePair.server() != ExploredQueuePair.ACCEPTED) {
            return queuePair.server();
        }
        return machineOf(other == null ? queuePair.owner() : other.owner());
    }

    /** Whether what a queue pair sends gets to the other end's machine. */
    boolean reaches(ExploredQueuePair queuePair) {
        return links.allCarry() || links.carries(machineOf(queuePair.owner()), otherMachine(queuePair));
    }

    /** Whether acknowledgements and answers get back. */
    boolean isAnswered(ExploredQueuePair queuePair) {
        return links.allCarry() || links.carries(otherMachine(queuePair), machineOf(queuePair.owner()));
    }

    private boolean isServer(Program program) {
        return program.index >= clients;
    }

    /** The server whose program this is. */
    private ExploredServer serverOf(Program program) {
        return servers.get(program.index - clients);
    }

    ServerMemory memory() {
        return memory;
    }

    ExplorationLimits limits() {
        return limits;
    }

    String place(long address) {
        return trial.place(ServerMemory.number(address), ServerMemory.offset(address));
    }

    History history() {
        return recording.history();
    }

    /** What has gone wrong so far. */
    @Nullable
    String failure() {
        return failure;
    }

    boolean tooManyPauses() {
        return tooManyPauses;
    }

    void narrateTo(@Nullable Narration to) {
        narration = to;
    }

    void narrate(Program who, Supplier<String> what) {
        Narration to = narration;
        if (to != null && who.idleRetries < TOLD_RETRIES) {
            to.add(who.index, what.get());
        }
    }

    private void narrateOperation(Program who, int invocation) {
        narrateStores(who);
        Narration to = narration;
        if (to != null) {
            to.addOperation(who.index, recording.words(invocation));
        }
    }

    /** What a program's CPU has stored in registered memory since it was told. */
    private void narrateStores(Program who) {
        Narration to = narration;
        if (to != null) {
            memory.tellChanges(
                    told,
                    (address, words, value) ->
                            to.addStores(who.index, address, words, place(address), ExploredQueuePair.text(value)));
            told = memory.contents();
        }
    }

    /** A step of a READ or WRITE. */
    void narrateStep(Program who, Supplier<String> name, int step, int steps, Supplier<String> value) {
        Narration to = narration;
        if (to != null && who.idleRetries < TOLD_RETRIES) {
            to.addWord(who.index, name.get(), step, steps, value.get());
        }
    }

    /** Back to the start. */
    void reset() {
        memory.reset();
        programs.forEach(Program::reset);
        recording.clear();
        events = 0;
        java.util.Arrays.fill(returnedOf, 0);
        servers.forEach(ExploredServer::reset);
        last = 0;
        sticks = false;
        crashes = 0;
        breaks = 0;
        failures = 0;
        cuts = 0;
        links.mendAll();
        down.clear();
        clockNs = 0;
        tooManyPauses = false;
        failure = null;
    }

    /** Gets all programs out of their code. */
    void unwind() {
        turn.unwinding = true;
        for (Program program : programs) {
            if (!program.ended) {
                program.goOn();
            }
        }
        turn.unwinding = false;
    }

    void close() {
        turn.close(programs);
    }

    /** Server memory, or what a server waits for, is no longer as it was. */
    void changed(@Nullable Program by) {
        for (Program program : programs) {
            if (program != by) {
                program.changesByOthers++;
            }
        }
    }

    boolean clientsOver() {
        for (int i = 0; i < clients; i++) {
            if (!programs.get(i).over()) {
                return false;
            }
        }
        return true;
    }

    boolean allOver() {
        for (Program program : programs) {
            if (!program.over()) {
                return false;
            }
        }
        return true;
    }

    /** Lets everything happen that needs no choice. */
    void settle() {
        boolean again = true;
        while (again && failure == null) {
            again = false;
            for (Program program : programs) {
                while (failure == null && !program.over() && ready(program)) {
                    goOn(program);
                    again = true;
                }
            }
            again |= failure == null && openBarrier();
        }
    }

    private boolean ready(Program program) {
        return switch (program.wait) {
            case NOTHING -> true;
            case COMPLETION -> arrives(program);
            case CHANGE -> program.changesByOthers > program.changesSeen && !isShutOut(program);
            case CONNECTION -> !serverOf(program).connecting().isEmpty() || clientsOver();
            case ANY_COMPLETION -> clientsOver() && !somethingFor(program); // never so for a client that waits
            case NEWS ->
                isServer(program)
                        && (!serverOf(program).connecting().isEmpty()
                                || (clientsOver()
                                        && !somethingFor(program)
                                        && !program.wordChanged()
                                        && !anyUnnoticed(serverOf(program))));
            case POLL, INVOCATION, BARRIER, TURN -> false;
        };
    }

    /**
     * Whether what the program waits for is there; delivers it when the program could not see anything else with it, and no machine
     * can fail before its acknowledgement is out.
     */
    private boolean arrives(Program program) {
        ExploredQueuePair awaited = program.queuePair;
        if (awaited == null || awaited.has()) {
            return awaited != null;
        }
        if (!awaited.canDeliver() || (failures < limits.failures() && !awaited.isCut())) {
            return false;
        }
        int others = 0;
        for (ExploredQueuePair queuePair : program.queuePairs) {
            others += queuePair.signaledUnderWay() + queuePair.undelivered() + queuePair.unfilled();
        }
        if (others > 1) {
            return false;
        }
        awaited.deliver();
        return true;
    }

    private static boolean somethingFor(Program program) {
        for (ExploredQueuePair queuePair : program.queuePairs) {
            if (queuePair.has() || queuePair.canDeliver()) {
                return true;
            }
        }
        return false;
    }

    private void goOn(Program program) {
        if (program.wait == Program.Wait.CHANGE) {
            if (program.changesByOthers > program.changesSeen) {
                program.idleRetries = 0;
                tooManyPauses |= ++program.pauses > limits.pauses();
            }
            program.changesSeen = program.changesByOthers;
        }
        // A server, and a client with its turn, may access registered memory by the CPU.
        boolean touches = isServer(program) || program.wait == Program.Wait.TURN;
        long before = memory.hash();
        told = narration == null ? NOTHING : memory.contents();
        if (touches) {
            program.seen = Mixing.mix(program.seen, before);
        }
        program.goOn();
        if (touches) {
            memory.rehash();
            if (memory.hash() != before) {
                changed(program);
            }
        }
        narrateStores(program);
        Throwable thrown = program.failure;
        if (thrown != null && failure == null) {
            failure = name(program) + " failed: " + words(thrown);
        }
    }

    private static String words(Throwable thrown) {
        String message = thrown.getMessage();
        return thrown instanceof FabricException || thrown instanceof IllegalStateException
                ? String.valueOf(message)
                : thrown.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    private String name(Program program) {
        if (!isServer(program)) {
            return "client " + program.index;
        }
        return servers.size() == 1
                ? "the server"
                : "server " + serverOf(program).number();
    }

    private boolean openBarrier() {
        boolean anybody = false;
        for (int i = 0; i < clients; i++) {
            Program program = programs.get(i);
            if (!program.over() && program.wait != Program.Wait.BARRIER) {
                return false;
            }
            anybody |= !program.over();
        }
        for (int i = 0; i < clients; i++) {
            if (!programs.get(i).over()) {
                goOn(programs.get(i));
            }
        }
        return anybody;
    }

    /**
     * Wakes all that pause, since nothing else can happen.
     *
     * @return false when nobody does
     */
    boolean wakeIdle() {
        boolean woken = false;
        for (Program program : programs) {
            boolean pauses = program.wait == Program.Wait.CHANGE || program.untilNs < Long.MAX_VALUE;
            if (!program.over() && pauses && failure == null) {
                int retries = program.idleRetries + 1;
                if (retries > limits.idleRetries()) {
                    failure = name(program)
                            + " waits for ever: it tries again and again, nothing has changed, and nobody "
                            + "else can do anything";
                    return true;
                }
                program.seen = Mixing.mix(program.seen, retries);
                if (retries == TOLD_RETRIES) {
                    narrate(program, () -> "... and so on");
                }
                program.idleRetries = retries;
                if (program.untilNs < Long.MAX_VALUE) {
                    passDeadline(program);
                }
                goOn(program);
                woken = true;
            }
        }
        return woken;
    }

    /** A schedule has too many steps. */
    String endless() {
        return name(programs.get(last)) + " still goes on after " + limits.steps()
                + " steps: it has no end, or tries again without a pause";
    }

    /** Nothing can happen, and not all have ended. */
    String standstill() {
        StringBuilder who = new StringBuilder();
        for (Program program : programs) {
            if (!program.over()) {
                who.append(who.isEmpty() ? "" : ", ").append(name(program)).append(" waits for ");
                who.append(
                        switch (program.wait) {
                            case COMPLETION, POLL, ANY_COMPLETION -> "a completion";
                            case BARRIER -> "the barrier";
                            case CONNECTION -> "a connection";
                            case NEWS -> "a message";
                            case NOTHING, INVOCATION, CHANGE, TURN -> "its turn";
                        });
            }
        }
        return "nothing can happen any more: " + who;
    }

    /**
     * What can happen next. First what whoever acted last can do, then the others, in a fixed order, then faults. Where nothing but
     * faults could happen it is for {@link #wakeIdle} to say how it goes on.
     *
     * @return how many
     */
    int enabled(int[] into) {
        int count = 0;
        if (sticks) {
            count = add(programs.get(last), into, 0, true);
            if (count > 0) {
                return addBreaks(programs.get(last), into, count);
            }
        }
        count = add(programs.get(last), into, count, false);
        for (Program program : programs) {
            if (program.index != last) {
                count = add(program, into, count, false);
            }
        }
        for (Program program : programs) {
            if (mayBeTooLate(program)) {
                into[count++] = Action.of(Action.PASS, program.index, 0);
            }
        }
        for (ExploredServer server : servers) {
            for (int i = 0; i < clients; i++) {
                if (unnoticed(i, server)) {
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
        return count == 0 ? 0 : addFaults(into, count);
    }

    private int add(Program program, int[] into, int from, boolean servesOnly) {
        int count = from;
        List<ExploredQueuePair> queuePairs = program.queuePairs;
        for (int i = 0; i < queuePairs.size(); i++) {
            if (queuePairs.get(i).canServe()
                    && !(servesOnly && queuePairs.get(i).isCut())) {
                into[count++] = Action.of(Action.SERVE, program.index, i);
            }
        }
        if (!servesOnly && !program.over()) {
            for (int i = 0; i < queuePairs.size(); i++) {
                if (waitsForOne(program) && queuePairs.get(i).canDeliver()) {
                    into[count++] = Action.of(Action.DELIVER, program.index, i);
                }
            }
            boolean goes = switch (program.wait) {
                case POLL -> !program.emptyPoll || anyToPoll(program);
                case INVOCATION, TURN -> true;
                case ANY_COMPLETION -> isServer(program) ? somethingFor(program) : anyDelivered(program);
                case NEWS ->
                    program.wordChanged() || (isServer(program) ? somethingFor(program) : anyDelivered(program));
                case NOTHING, COMPLETION, CHANGE, BARRIER, CONNECTION -> false;
            };
            if (goes) {
                into[count++] = Action.of(Action.GO, program.index, 0);
            }
        }
        if (!writesLandInOrder()) {
            for (int i = 0; i < queuePairs.size(); i++) {
                if (queuePairs.get(i).canReverse()) {
                    into[count++] = Action.of(Action.REVERSE, program.index, i);
                }
            }
        }
        if (limits.tearing() == ExplorationLimits.Tearing.OVERTAKING) {
            for (int i = 0; i < queuePairs.size(); i++) {
                if (queuePairs.get(i).canOvertake()) {
                    into[count++] = Action.of(Action.OVERTAKE, program.index, i);
                }
            }
        }
        return count;
    }

    /** A server that waits for any completion is given all at once. */
    private boolean waitsForOne(Program program) {
        return !isServer(program) || program.wait == Program.Wait.COMPLETION || program.wait == Program.Wait.POLL;
    }

    /** Whether another poll may find something, by and by if the program polls connections in turn. */
    private static boolean anyToPoll(Program program) {
        for (ExploredQueuePair queuePair : program.queuePairs) {
            if (queuePair.has() && !queuePair.isForgotten()) {
                return true;
            }
        }
        return false;
    }

    private static boolean anyDelivered(Program program) {
        for (ExploredQueuePair queuePair : program.queuePairs) {
            if (queuePair.has()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a client is dead, or a connection of it has broken, and the server that has accepted it can be told now. */
    private boolean unnoticed(int client, ExploredServer server) {
        return !down.get(server.number())
                && server.program().wait == Program.Wait.NEWS
                && programs.get(client).queuePairs.stream().anyMatch(queuePair -> unnoticed(queuePair, server));
    }

    private static boolean unnoticed(ExploredQueuePair queuePair, ExploredServer server) {
        ExploredQueuePair other = queuePair.peer;
        return other != null
                && !queuePair.noticed
                && (queuePair.owner().crashed || queuePair.isCut() || other.isCut())
                && other.owner() == server.program();
    }

    private boolean anyUnnoticed(ExploredServer server) {
        for (int i = 0; i < clients; i++) {
            if (unnoticed(i, server)) {
                return true;
            }
        }
        return false;
    }

    /** What follows from links that are cut sooner or later. */
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

    private int addFaults(int[] into, int from) {
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
        if (failures < limits.failures() && !clientsOver()) {
            for (int server = 0; server < trial.servers(); server++) {
                if (!down.get(server)) {
                    into[count++] = Action.of(Action.FAIL, processOf(server), server);
                }
            }
        }
        return addCuts(into, count);
    }

    private int addCuts(int[] into, int from) {
        int count = from;
        for (int i = 0; i < links.all().size() && cuts < limits.cuts() && !clientsOver(); i++) {
            Links.Link link = links.all().get(i);
            for (int way = 0; way < Links.Way.ALL.size() && links.isWhole(link); way++) {
                into[count++] = Action.of(Action.CUT, link.client(), Links.code(link.server(), Links.Way.ALL.get(way)));
            }
        }
        return count;
    }

    private int addBreaks(Program program, int[] into, int from) {
        int count = from;
        for (int i = 0; i < program.queuePairs.size(); i++) {
            if (breaks < limits.breaks() && program.queuePairs.get(i).canBreak()) {
                into[count++] = Action.of(Action.BREAK, program.index, i);
            }
        }
        return count;
    }

    /** The program that a passive server's machine is told of as: the first. */
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

    /** Whether an action is of what is under way on a broken connection, or ends the cut of a link. */
    boolean isLate(int action) {
        int kind = Action.kind(action);
        if (kind == Action.MEND) {
            return true;
        }
        return (kind == Action.SERVE || kind == Action.LOSE)
                && programs.get(Action.process(action))
                        .queuePairs
                        .get(Action.queuePair(action))
                        .isCut();
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
        memory.transactions().reset();
        for (int i = 0; i < clients; i++) {
            programs.get(i).crashed |= isOn(i, number) && !programs.get(i).ended;
        }
        ExploredServer server = serverNumbered(number);
        if (server != null) {
            server.program().fail();
            server.reset();
        }
        changed(null);
    }

    private void restart(int number) {
        down.clear(number);
        ExploredServer server = serverNumbered(number);
        if (server != null) {
            server.program().restart();
        }
        changed(null);
    }

    void perform(int action) {
        Program program = programs.get(Action.process(action));
        sticks = false;
        if (!Action.isOfMachines(action)) {
            last = program.index;
        }
        switch (Action.kind(action)) {
            case Action.SERVE, Action.REVERSE ->
                program.queuePairs
                        .get(Action.queuePair(action))
                        .serve(
                                Action.kind(action) == Action.REVERSE,
                                limits.tearing() != ExplorationLimits.Tearing.NONE);
            case Action.OVERTAKE ->
                program.queuePairs.get(Action.queuePair(action)).overtake();
            case Action.DELIVER ->
                program.queuePairs.get(Action.queuePair(action)).deliver();
            case Action.CRASH -> {
                narrate(program, () -> "dies");
                program.crashed = true;
                crashes++;
            }
            case Action.NOTICE -> {
                narrate(program, () -> program.crashed ? "is known to be dead" : "its connection is known to be gone");
                ExploredServer server = Objects.requireNonNull(serverNumbered(Action.queuePair(action)));
                for (ExploredQueuePair queuePair : program.queuePairs) {
                    queuePair.noticed |= unnoticed(queuePair, server);
                }
                goOn(server.program());
            }
            case Action.BREAK -> {
                ExploredQueuePair queuePair = program.queuePairs.get(Action.queuePair(action));
                narrate(program, () -> "its connection " + queuePair.number() + " breaks");
                queuePair.cut(true);
                breaks++;
            }
            case Action.GIVE_UP -> {
                ExploredQueuePair queuePair = program.queuePairs.get(Action.queuePair(action));
                narrate(program, () -> "gives its connection " + queuePair.number() + " up");
                queuePair.cut(true);
            }
            case Action.CUT -> {
                int code = Action.queuePair(action);
                narrate(
                        program,
                        () -> "the link to server " + Links.serverOf(code) + " is cut, " + Links.wayOf(code).words);
                links.cut(program.index, code);
                cuts++;
            }
            case Action.MEND -> {
                int code = Action.queuePair(action);
                narrate(program, () -> "the link to server " + Links.serverOf(code) + " is whole again");
                links.mend(program.index, code);
                changed(null);
            }
            case Action.FAIL -> {
                int number = Action.queuePair(action);
                narrate(program, () -> "server " + number + " fails");
                fail(number);
            }
            case Action.RESTART -> {
                int number = Action.queuePair(action);
                narrate(program, () -> "server " + number + " comes back");
                restart(number);
            }
            case Action.PASS -> {
                narrate(program, () -> "has waited for long enough");
                program.idleRetries = 0;
                passDeadline(program);
                goOn(program);
            }
            case Action.LOSE -> {
                narrate(program, () -> "what it had posted is lost");
                program.queuePairs.get(Action.queuePair(action)).lose();
            }
            default -> {
                sticks = program.wait == Program.Wait.INVOCATION;
                if (sticks) {
                    program.changesSeen = program.changesByOthers;
                }
                if (isServer(program)
                        && (program.wait == Program.Wait.ANY_COMPLETION || program.wait == Program.Wait.NEWS)) {
                    program.queuePairs.forEach(ExploredQueuePair::deliverAll);
                }
                goOn(program);
            }
        }
    }

    /** Who acted last, whose going on is no switch; nobody when he has not begun yet: all orders to begin in cost the same. */
    int last() {
        return programs.get(last).begins() ? NOBODY : last;
    }

    /** All that decides what can still happen and how it will be judged. */
    long hash() {
        long sum = Mixing.mix(memory.hash(), sticks ? last : NOBODY);
        sum = trial.oneClock() ? Mixing.mix(sum, clockNs) : sum;
        if (failures > 0) {
            sum = Mixing.mix(sum, Mixing.mix(failures, down.hashCode()));
        }
        if (cuts > 0) {
            sum = Mixing.mix(sum, Mixing.mix(-3 - cuts, links.hash()));
        }
        for (ExploredServer server : servers) {
            sum = Mixing.mix(sum, server.hash());
        }
        for (Program program : programs) {
            long hash = Mixing.mix(program.told, program.index);
            // What a dead client knew is of no use to anybody; what one knew that has ended may be judged.
            hash = program.crashed
                    ? Mixing.mix(hash, -1 - 2 * noticedBy(program))
                    : Mixing.mix(
                            hash,
                            Mixing.mix(
                                    program.seen,
                                    program.ended ? -2 : program.wait.name().hashCode()));
            hash = mayBeTooLate(program) ? Mixing.mix(hash, -5) : hash;
            hash = program.over() ? hash : Mixing.mix(hash, program.news());
            for (int i = 0; i < program.queuePairs.size(); i++) {
                ExploredQueuePair queuePair = program.queuePairs.get(i);
                if (!program.crashed || !queuePair.idle()) {
                    hash = Mixing.mix(hash, Mixing.mix(program.seen, queuePair.hash()));
                }
            }
            sum = Mixing.mix(sum, hash);
        }
        return sum;
    }

    /** Servers that know that a client has died: a bit each. */
    private long noticedBy(Program program) {
        long bits = 0;
        for (ExploredQueuePair queuePair : program.queuePairs) {
            ExploredQueuePair other = queuePair.peer;
            if (other != null && queuePair.noticed) {
                bits |= 1L << serverOf(other.owner()).number();
            }
        }
        return bits;
    }

    @Override
    public int invoked(int client, Operation operation, long key, long argument, long expected) {
        Program program = invokers[client];
        program.block(Program.Wait.INVOCATION, null);
        long told = Mixing.mix(Mixing.mix(program.told, operation.name().hashCode()), key);
        told = Mixing.mix(Mixing.mix(told, argument), expected);
        for (int i = 0; i < clients; i++) {
            told = Mixing.mix(told, returnedOf[i]);
        }
        program.told = told;
        program.inOperation = true;
        program.pauses = 0;
        int invocation = recording.invoked(client, operation, key, argument, expected);
        narrateOperation(program, invocation);
        return invocation;
    }

    @Override
    public void returned(int invocation, long result) {
        recording.returned(invocation, result);
        int client = recording.client(invocation);
        Program program = invokers[client];
        program.told = Mixing.mix(program.told, result);
        program.inOperation = false;
        returnedOf[client]++;
        narrateOperation(program, invocation);
    }

    /** Its own counts its waits, a microsecond each, and its pauses: unless all have one, time must not tell what others do. */
    long nowNs(Program program) {
        if (!trial.oneClock()) {
            return program.clockNs;
        }
        program.seen = Mixing.mix(program.seen, clockNs);
        return clockNs;
    }

    /** Where there is one clock, how late it is may matter to others who do nothing that it could see. */
    private boolean mayBeTooLate(Program program) {
        return trial.oneClock() ? program.hasDeadline() : program.mayBeTooLate();
    }

    private void passDeadline(Program program) {
        clockNs = Math.max(clockNs, program.untilNs);
        program.passDeadline();
    }

    /** A client pauses. */
    void pause(Program program, long ns) {
        program.clockNs += Math.max(0, ns);
        program.emptyPoll = false;
        program.seen = Mixing.mix(program.seen, -15); // how often it has paused it knows
        program.block(Program.Wait.CHANGE, null);
    }
}

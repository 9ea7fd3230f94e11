package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

/** Programs, connections and memory of a trial, and the history of its operations. */
final class World implements HistoryRecorder {
    private final Trial trial;
    private final ExplorationLimits limits;
    private final int clients;
    private final ServerMemory memory;
    private final List<Program> programs = new ArrayList<>();
    private final List<ExploredServer> servers = new ArrayList<>();

    private final Handoff turn;
    private long events;
    private final Recording recording = new Recording(() -> events++);
    private final Program[] invokers;
    private final int[] returnedOf;
    private final Faults faults;
    private final Timeline timeline;
    private final Scheduler scheduler;

    /** Clock of a trial whose programs share one. */
    private long clockNs;

    World(Trial trial, ExplorationLimits limits, Arena arena, Thread engine) throws FabricException {
        this(trial, limits, arena, engine, new ServerMemory(arena));
    }

    /** Creates a world on memory whose regions may be registered already. */
    World(Trial trial, ExplorationLimits limits, Arena arena, Thread engine, ServerMemory memory)
            throws FabricException {
        this.trial = trial;
        this.limits = limits;
        this.clients = trial.clients();
        this.memory = memory;
        this.faults = new Faults(this);
        this.timeline = new Timeline(this);
        this.scheduler = new Scheduler(this, faults, timeline);
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
                ExploredServer explored = new ExploredServer(this, i, trial.servers());
                Program program = new Program(programs.size(), turn, arena, () -> runs.run(explored));
                explored.attach(program);
                programs.add(program);
                servers.add(explored);
            }
        }
    }

    Trial trial() {
        return trial;
    }

    ExplorationLimits limits() {
        return limits;
    }

    int clients() {
        return clients;
    }

    List<Program> programs() {
        return programs;
    }

    List<ExploredServer> servers() {
        return servers;
    }

    ServerMemory memory() {
        return memory;
    }

    Faults faults() {
        return faults;
    }

    Timeline timeline() {
        return timeline;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    int atomicReadBytes() {
        return trial.atomicReadBytes();
    }

    boolean writesLandInOrder() {
        return limits.tearing().writesLandInOrder();
    }

    /** Connects a program to a server. A passive server receives no event. */
    ExploredQueuePair connect(Program program, int server, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        Servers.check(server, trial.servers());
        program.partitionedFrom = server;
        if (faults.isPartitioned(program)) {
            program.seen = Mixing.mix(program.seen, -13); // the program has observed the refusal
            throw new UnreachableException("no connection to server " + server
                    + (faults.isDown(server) ? ", which is down" : ": the link is cut"));
        }
        program.partitionedFrom = Program.NONE;
        ExploredQueuePair made = new ExploredQueuePair(this, program, server, local, options);
        for (ExploredServer each : servers) {
            if (!options.oneSided() && each.number() == server) {
                each.connecting().add(made);
            }
        }
        return made;
    }

    /** Returns true if a client is on a server's machine, which requires several servers. */
    boolean isOn(int client, int server) {
        return trial.servers() > 1 && client % trial.servers() == server;
    }

    boolean isServer(Program program) {
        return program.index >= clients;
    }

    ExploredServer serverOf(Program program) {
        return servers.get(program.index - clients);
    }

    String name(Program program) {
        if (!isServer(program)) {
            return "client " + program.index;
        }
        return servers.size() == 1
                ? "the server"
                : "server " + serverOf(program).number();
    }

    String place(long address) {
        return trial.place(ServerMemory.number(address), ServerMemory.offset(address));
    }

    History history() {
        return recording.history();
    }

    String operation(int invocation) {
        return recording.text(invocation);
    }

    void reset() {
        memory.reset();
        programs.forEach(Program::reset);
        recording.clear();
        events = 0;
        Arrays.fill(returnedOf, 0);
        servers.forEach(ExploredServer::reset);
        clockNs = 0;
        faults.reset();
        scheduler.reset();
    }

    void unwind() {
        turn.unwinding = true;
        for (Program program : programs) {
            if (!program.ended) {
                program.resume();
            }
        }
        turn.unwinding = false;
    }

    void close() {
        turn.close(programs);
    }

    /** Notes a change of server memory, or of a server's awaited event. */
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

    @Override
    public int invoked(int client, Operation operation, long key, long argument, long expected) {
        Program program = invokers[client];
        program.block(Program.Wait.INVOCATION, null);
        long operations =
                Mixing.mix(Mixing.mix(program.operations, operation.name().hashCode()), key);
        operations = Mixing.mix(Mixing.mix(operations, argument), expected);
        for (int i = 0; i < clients; i++) {
            operations = Mixing.mix(operations, returnedOf[i]);
        }
        program.operations = operations;
        program.inOperation = true;
        program.pauses = 0;
        int invocation = recording.invoked(client, operation, key, argument, expected);
        timeline.addOperation(program, invocation);
        return invocation;
    }

    @Override
    public void returned(int invocation, long result) {
        recording.returned(invocation, result);
        int client = recording.client(invocation);
        Program program = invokers[client];
        program.operations = Mixing.mix(program.operations, result);
        program.inOperation = false;
        returnedOf[client]++;
        timeline.addOperation(program, invocation);
    }

    long clockNs() {
        return clockNs;
    }

    /**
     * Returns a program's time. Without a shared clock it is the sum of the program's pauses and waits, one microsecond
     * per wait, and so does not depend on other programs.
     */
    long nowNs(Program program) {
        if (!trial.oneClock()) {
            return program.clockNs;
        }
        program.seen = Mixing.mix(program.seen, clockNs);
        return clockNs;
    }

    /** Returns true if a deadline may pass: with a shared clock at any time, since time alone may change behaviour. */
    boolean mayBeTooLate(Program program) {
        return trial.oneClock() ? program.hasDeadline() : program.mayBeTooLate();
    }

    void passDeadline(Program program) {
        clockNs = Math.max(clockNs, program.untilNs);
        program.passDeadline();
    }

    void pause(Program program, long ns) {
        program.clockNs += Math.max(0, ns);
        program.emptyPoll = false;
        program.seen = Mixing.mix(program.seen, -15); // the number of pauses is observable
        program.block(Program.Wait.CHANGE, null);
    }
}

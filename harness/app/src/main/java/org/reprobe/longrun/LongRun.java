package org.reprobe.longrun;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Serving;
import org.reprobe.nessie.Contents;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieServer;
import org.reprobe.nessie.Rules;
import org.reprobe.run.Fabrics;
import org.reprobe.run.crew.OwnJvm;
import org.reprobe.trust.PrivateFolder;

/**
 * A run: this process is the server, others are its clients. Some are killed as by {@code kill -9}, each at a random moment, and
 * another takes its place, which first tries to come back as the dead one. In the end every key is read from the table's memory,
 * and the histories of all clients are checked for linearizability.
 */
public final class LongRun {
    /** Too small on purpose: chains and resizes are wanted. */
    private static final long SLOTS = 24;

    private static final long MOST_SLOTS = 96;
    private static final int ITEMS = 64;
    private static final long POLL_MS = 20;
    private static final long END_WITHIN_MS = OwnJvm.patienceMs(30_000);
    private static final long READY_WITHIN_MS = OwnJvm.patienceMs(60_000);

    private final Plan plan;
    private final BooleanSupplier stopped;
    private final SplittableRandom random;
    private final List<Member> members = new ArrayList<>();
    private int nextClient;
    private int killed;

    /**
     * What is asked for.
     *
     * @param fabric {@code shm}, {@code tcp} or {@code verbs}
     * @param processes how many run at a time
     * @param threads clients of each
     * @param kills how many processes are killed
     * @param home the program's folder
     */
    public record Plan(String fabric, long durationMs, int processes, int threads, int kills, long seed, Path home) {
        int clients() {
            return (processes + kills) * threads;
        }
    }

    /**
     * What has come of it.
     *
     * @param operations how many were invoked
     * @param pending those of them that had no answer when their client was killed
     * @param cameBack clients that tried to come back after they were declared dead, and were refused
     * @param wrong what no order of the operations explains; null when all is well
     */
    public record Outcome(
            long operations,
            long pending,
            int keys,
            int killed,
            int cameBack,
            NessieServer.Counts server,
            long slots,
            @Nullable String wrong) {}

    /** A process of clients. */
    private record Member(Process process, int first, int place, Path output) {}

    /** @param stopped is asked now and then; when it says so, {@link #run} ends as if interrupted */
    public LongRun(Plan plan, BooleanSupplier stopped) {
        this.plan = plan;
        this.stopped = stopped;
        this.random = new SplittableRandom(plan.seed());
    }

    /** Runs and judges. */
    public Outcome run() throws FabricException, InterruptedException, IOException {
        try (PrivateFolder folder = PrivateFolder.temporary("reprobe-history")) {
            return run(folder.path());
        }
    }

    private Outcome run(Path folder) throws FabricException, InterruptedException, IOException {
        try (FabricServer server = Fabrics.serve(plan.fabric(), "127.0.0.1")) {
            Geometry geometry = new Geometry(SLOTS, plan.clients() + 1, ITEMS, Long.BYTES);
            MemorySegment memory =
                    server.allocate(geometry.withSlots(MOST_SLOTS).bytes());
            RemoteRegion region = server.register(memory.asSlice(0, geometry.bytes()));
            Nessie table =
                    new Nessie(geometry, region, new int[geometry.owners()], Rules.CORRECTED, 0, Nessie.ATTEMPTS);
            NessieServer program = new NessieServer(server, memory, table);
            try (Serving serving = Serving.begin(server, plan.clients(), program)) {
                int cameBack = drive(server, geometry, folder, serving);
                serving.await(END_WITHIN_MS);
                return judge(folder, memory, program, cameBack);
            } catch (TimeoutException e) {
                throw new FabricException("all clients have ended, but the server's program does not notice", e);
            } finally {
                members.forEach(member -> member.process().destroyForcibly());
            }
        }
    }

    /** Starts, kills and replaces processes until the time is over; how many have tried to come back as a dead one. */
    private int drive(FabricServer server, Geometry geometry, Path folder, Serving serving)
            throws IOException, FabricException, InterruptedException {
        for (int place = 0; place < plan.processes(); place++) {
            members.add(start(server, geometry, folder, place, -1));
        }
        long readyByNs = System.nanoTime() + READY_WITHIN_MS * 1_000_000;
        while (!members.stream().allMatch(member -> begun(member, folder))) {
            goOn(serving);
            if (System.nanoTime() > readyByNs) {
                throw new FabricException("the client processes are not ready after " + READY_WITHIN_MS / 1000 + " s");
            }
        }
        long startNs = System.nanoTime();
        long endNs = startNs + plan.durationMs() * 1_000_000;
        // Moved, so that nobody reads half of it.
        Path written = Files.writeString(folder.resolve("start.new"), String.valueOf(startNs));
        Files.move(written, Assignment.start(folder));
        long[] killAtNs = random.doubles(plan.kills(), 0.1, 0.8)
                .sorted()
                .mapToLong(share -> startNs + (long) (share * (endNs - startNs)))
                .toArray();
        while (System.nanoTime() < endNs) {
            goOn(serving);
            // Only those who have begun: of others the server would not know that they are to be missed.
            List<Member> begun =
                    members.stream().filter(member -> begun(member, folder)).toList();
            if (killed < killAtNs.length && System.nanoTime() >= killAtNs[killed] && !begun.isEmpty()) {
                Member victim = begun.get(random.nextInt(begun.size()));
                members.remove(victim);
                victim.process().destroyForcibly().waitFor();
                killed++;
                members.add(start(server, geometry, folder, victim.place(), victim.first()));
            }
        }
        if (killed < killAtNs.length) {
            throw new FabricException("only " + killed + " of " + killAtNs.length
                    + " processes could be killed in time: use a longer --duration or fewer --kills");
        }
        for (Member member : members) {
            if (!member.process().waitFor(END_WITHIN_MS, TimeUnit.MILLISECONDS)) {
                throw new FabricException("the clients from number " + member.first() + " on do not end");
            }
        }
        check(serving);
        return killed; // those who take a place do not begin before they were refused as the dead one
    }

    /** Waits a little, unless there is nothing to wait for. */
    private void goOn(Serving serving) throws IOException, FabricException, InterruptedException {
        if (stopped.getAsBoolean()) {
            throw new InterruptedException();
        }
        check(serving);
        Thread.sleep(POLL_MS);
    }

    private boolean begun(Member member, Path folder) {
        for (int client = member.first(); client < member.first() + plan.threads(); client++) {
            if (!Files.exists(Assignment.log(folder, client))) {
                return false;
            }
        }
        return true;
    }

    private void check(Serving serving) throws FabricException, IOException, InterruptedException {
        for (Member member : members) {
            if (!member.process().isAlive() && member.process().exitValue() != 0) {
                List<String> words = Files.readAllLines(member.output());
                throw new FabricException("the clients from number " + member.first() + " on have failed: "
                        + (words.isEmpty() ? "exit code " + member.process().exitValue() : words.getLast()));
            }
        }
        if (serving.isOver()
                && members.stream().anyMatch(member -> member.process().isAlive())) {
            serving.await(); // it says why
        }
    }

    private Member start(FabricServer server, Geometry geometry, Path folder, int place, int dead) throws IOException {
        int first = nextClient;
        nextClient += plan.threads();
        Path output = folder.resolve("process-" + first + ".txt");
        List<String> command = new ArrayList<>(OwnJvm.command(plan.home()));
        command.add("history-clients");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Assignment assignment = new Assignment(
                plan.fabric(),
                server.endpoint(),
                first,
                plan.threads(),
                place,
                plan.processes(),
                plan.durationMs() * 1_000_000,
                plan.seed(),
                dead,
                geometry,
                folder);
        try (OutputStream in = process.getOutputStream()) {
            in.write((assignment.line() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended already; its output tells why.
        }
        return new Member(process, first, place, output);
    }

    private Outcome judge(Path folder, MemorySegment memory, NessieServer program, int cameBack) throws IOException {
        List<Event> events = new ArrayList<>();
        for (int client = 0; client < nextClient; client++) {
            Path log = Assignment.log(folder, client);
            if (Files.exists(log)) { // a process may be killed before it has begun
                events.addAll(EventLog.read(log));
            }
        }
        long operations = events.size();
        long pending = events.stream().filter(Event::pending).count();
        Set<Long> keys = new HashSet<>();
        events.forEach(event -> keys.add(event.key()));
        String wrong = addContents(events, keys, memory, program.geometry());
        if (wrong == null
                && new LinearizabilityCheck<>(new RegisterMap(Map.of())).check(new History(events))
                        instanceof Verdict.NotLinearizable broken) {
            wrong = broken.words();
        }
        return new Outcome(
                operations,
                pending,
                keys.size(),
                killed,
                cameBack,
                program.counts(),
                program.geometry().slots(),
                wrong);
    }

    /** As if somebody had read all keys in the end. */
    private @Nullable String addContents(List<Event> events, Set<Long> keys, MemorySegment memory, Geometry geometry) {
        long nowNs = System.nanoTime();
        for (long key : keys) {
            try {
                OptionalLong value = Contents.firstWord(memory, geometry, key);
                long found = value.orElse(Event.ABSENT);
                events.add(new Event(nextClient, Operation.READ, key, 0, 0, found, nowNs, nowNs + 1));
            } catch (IllegalStateException e) {
                return "key " + key + ", when all clients had ended: " + e.getMessage();
            }
        }
        return null;
    }
}

package org.reprobe.nessie.trials;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.reprobe.check.Event;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.nessie.Contents;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.NessieServer;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerLink;
import org.reprobe.remote.trials.KeyValueCrashTest;
import org.reprobe.system.Served;

/** Crash test of a table so small that its server moves entries, resizes it, and cleans up after crashes. */
public final class NessieCrashTest extends KeyValueCrashTest {
    private static final long SLOTS = 24;
    private static final long MAX_SLOTS = 96;
    private static final int ITEMS = 64;
    private static final long BACK_OFF_NS = 2_000;

    private static Geometry geometry(Size size) {
        return new Geometry(SLOTS, size.clients() + 1, ITEMS, Long.BYTES);
    }

    private static Nessie table(Geometry geometry, RemoteRegion region, long backOffNs) {
        return new Nessie(geometry, region, new int[geometry.owners()], Rules.CORRECTED, backOffNs, Nessie.ATTEMPTS);
    }

    private record ServedTable(List<Served.Machine> machines, NessieServer program, MemorySegment memory)
            implements Table {
        @Override
        public Event read(int client, long key, long nowNs) {
            OptionalLong found = Contents.firstWord(memory, program.geometry(), Rules.CORRECTED, key);
            return readEvent(client, key, found, nowNs);
        }

        @Override
        public Map<String, Long> counts() {
            NessieServer.Counts counts = program.counts();
            Map<String, Long> all = new LinkedHashMap<>();
            all.put("revocations", counts.revocations());
            all.put("clients declared dead", counts.deaths());
            all.put("operations ended for others", counts.ended());
            all.put("entries moved along chains", counts.moves());
            all.put("resizes", counts.resizes());
            all.put("slots", program.geometry().slots());
            return Collections.unmodifiableMap(all);
        }
    }

    @Override
    public Table serve(RegisteredMemory machine, Size size) throws FabricException {
        Geometry geometry = geometry(size);
        MemorySegment memory = machine.allocate(geometry.withSlots(MAX_SLOTS).bytes());
        RemoteRegion region = machine.register(memory.asSlice(0, geometry.bytes()));
        NessieServer program = new NessieServer(machine, memory, table(geometry, region, 0));
        return new ServedTable(List.of(new Served.Machine(region)), program, memory);
    }

    @Override
    public Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException {
        // The server replies with the current layout.
        Nessie table = table(geometry(size), machine.regions().getFirst(), BACK_OFF_NS);
        return session(new NessieClient(client, table, client.index(), seed, new ServerLink(client, client.index())));
    }

    @Override
    public boolean refusesCrashed() {
        return true;
    }

    @Override
    public boolean isRefused(Client client, int crashed) throws FabricException {
        try (ServerLink link = new ServerLink(client, crashed)) {
            link.settle();
            return false;
        } catch (FabricException e) {
            if (String.valueOf(e.getMessage()).contains("declared dead")) {
                return true;
            }
            throw e;
        }
    }
}

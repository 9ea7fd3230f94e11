package org.reprobe.analysis.plan;

import org.apache.commons.math3.util.ArithmeticUtils;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Cost of lookups at each stage of a simulated card, and throughput of clients without think time. The stages are those
 * of {@code scenarios/nics/}. A READ of B bytes holds the server's card for {@code message + random access + B *
 * payload}, then the wire. A batch of READs leaves the client as its work requests are fetched and responses arrive.
 *
 * <p>Clients alternate between their own work, independent of the card, and the shared network. That is a closed
 * queueing network of a delay and a processor-sharing station, whose throughput depends on the means alone (Baskett,
 * Chandy, Muntz, Palacios, JACM 22(2), 1975).
 */
public final class CardLoad {
    private static final double Z90 = 1.2815515655446004;
    private static final double SMALLEST_BUFFER_BYTES = 64 * 1024;
    private static final double LARGEST_BUFFER_BYTES = 16.0 * 1024 * 1024;

    /** A write requests a lock, then writes the record and the lock. */
    private static final int WRITE_REQUESTS = 3;

    /** Second batch of a write: record and lock. */
    private static final int WRITES = 2;

    /** Limit of outstanding READs above which a batch is simulated request by request only up to this number. */
    private static final int WIDE = 512;

    /** Memory of a server's locks of 8 bytes, independent of the number of records. */
    public static final long LOCK_BYTES = 8L << 16;

    private final NicProfile nic;
    private final TableShape shape;
    private final LookupDemand demand;
    private final Clients clients;
    private final double tableBytes;
    private final double writeShare;
    private final double wireNsPerByte;

    /**
     * Clients: machines with a card each; threads per machine, with a queue pair each; work requests and READs in
     * flight per queue pair. {@code queuePairs} are all queue pairs of the server, including idle ones.
     */
    public record Clients(int machines, int threads, int sendQueue, int outstandingReads, int queuePairs) {

        /** Creates clients with one queue pair each. */
        public Clients(int machines, int threads, int sendQueue, int outstandingReads) {
            this(machines, threads, sendQueue, outstandingReads, machines * threads);
        }

        /** Returns the threads of all machines. */
        public int all() {
            return machines * threads;
        }
    }

    /**
     * Time of a lookup at each resource of one server, in ns of that resource's time. The server's card: messages,
     * random accesses, bus and cache misses, and the wire of responses. The clients: one machine's card and wire for
     * all requests, and one thread's own work.
     */
    public record Costs(
            double messageNs,
            double randomNs,
            double payloadNs,
            double contentionNs,
            double responseWireNs,
            double requestNs,
            double clientNs) {
        public double serverNs() {
            return messageNs + randomNs + payloadNs + contentionNs;
        }
    }

    /**
     * Creates a load of lookups, some of which ({@code writeShare}, 0 to 1) are followed by a write of the record. A
     * write is a COMPARE_AND_SWAP on the record's lock in a table of locks, then one batch of a WRITE of the record and
     * one of the lock. An operation is a lookup with its write; {@code tableBytes} is the memory of table and heap on
     * one server.
     */
    public CardLoad(
            NicProfile nic,
            TableShape shape,
            LookupDemand demand,
            Clients clients,
            double tableBytes,
            double writeShare) {
        this.writeShare = writeShare;
        this.nic = nic;
        this.shape = shape;
        this.demand = demand;
        this.clients = clients;
        this.tableBytes = tableBytes;
        this.wireNsPerByte = 1e9 / nic.link().bytesPerSecond();
    }

    public LookupDemand demand() {
        return demand;
    }

    public double requests() {
        return demand.reads() + writeShare * WRITE_REQUESTS;
    }

    /** Returns the requests per operation that count as outstanding READs and atomics. */
    double outstanding() {
        return demand.reads() + writeShare;
    }

    /** Returns the payload bytes per operation in both directions. */
    private double carriedBytes() {
        return demand.payloadBytes() + writeShare * (shape.recordBytes() + 2 * Long.BYTES);
    }

    /**
     * Returns the time for which a write holds its record's lock: until the batch after the lock's acquisition has
     * taken effect.
     */
    double lockHeldNs() {
        return Math.max(
                nic.responder().atomicSameAddressNs(), payloadFetchNs(shape.recordBytes()) + batchNs(WRITES, costs(0)));
    }

    public double writeShare() {
        return writeShare;
    }

    /** Returns the costs of an operation with this number of posted requests; 0 for an idle card. */
    public Costs costs(double posted) {
        NicProfile.Responder responder = nic.responder();
        NicProfile.Requester requester = nic.requester();
        int requestHeader = nic.link().requestHeaderBytes();
        double message = demand.reads() * responder.messageNs()
                + writeShare * (responder.atomicNs() + WRITES * nic.transfer().messageNs(responder.messageNs()));
        double random = (demand.randomReads() + demand.heapReads() + writeShare * WRITES) * responder.randomAccessNs();
        double steps = demand.tableReads() * nic.card().stepsNs(demand.readBytes())
                + demand.heapReads() * nic.card().stepsNs(demand.heapBytes())
                + writeShare * nic.card().stepsNs(shape.recordBytes());
        double payload =
                (demand.payloadBytes() + writeShare * (shape.recordBytes() + Long.BYTES)) * responder.payloadNsPerByte()
                        + steps;
        double wire = demand.tableReads() * responseNs(demand.readBytes())
                + demand.heapReads() * responseNs(demand.heapBytes())
                + writeShare * WRITE_REQUESTS * responseNs(0);
        double writeMessage = nic.transfer().messageNs(requester.messageNs());
        double request = (demand.reads() + writeShare) * Math.max(requester.messageNs(), wireNs(0, requestHeader))
                + writeShare * Math.max(writeMessage, requestNs(shape.recordBytes()))
                + writeShare * Math.max(writeMessage, requestNs(Long.BYTES));
        request += requests() * nic.contention().outstandingNs(posted / clients.machines());
        if (nic.card().oneEngine() == 1) {
            request += payload;
        }
        // Without think time, a client performs all other operations of a batch between an operation's lookup, its lock
        // and its write.
        double between = posted > 0 ? clients.all() * listRequests() / requests() : 0;
        double inFlight = Math.min(posted, (double) clients.outstandingReads() * clients.all());
        double contention = contentionNs(inFlight, between);
        return new Costs(message, random, payload, contention, wire, request, clientNs());
    }

    /** Returns a client thread's own work per operation, without completions. */
    public double clientNs() {
        return lookupNs() + writeShare * writeNs();
    }

    double lookupNs() {
        NicProfile.Client client = nic.client();
        return client.lookupNs()
                + demand.reads() * (client.postNs() + client.readNs())
                + demand.payloadBytes() * client.payloadNsPerByte()
                + demand.slots() * client.slotNs();
    }

    private double writeNs() {
        return WRITE_REQUESTS * nic.client().postNs()
                + (shape.recordBytes() + 2 * Long.BYTES) * nic.client().payloadNsPerByte()
                + inlineNs(shape.recordBytes())
                + inlineNs(Long.BYTES);
    }

    /** Returns the CPU time to copy a payload into its work request, if it is posted inline. */
    private double inlineNs(int bytes) {
        return bytes <= nic.transfer().inlineBytes() ? bytes * nic.transfer().inlineNsPerByte() : 0;
    }

    /** Returns the additional time of a write after an idle lookup: rounds for the lock, and for record and lock. */
    double writeNs(Costs costs) {
        NicProfile.Client client = nic.client();
        return writeNs()
                + 2 * (client.completionNs() + client.doorbellNs())
                + batchNs(1, costs)
                + payloadFetchNs(shape.recordBytes())
                + batchNs(WRITES, costs);
    }

    private double contentionNs(double inFlight, double between) {
        NicProfile.Contention room = nic.contention();
        // Requests that wait at the card for one queue pair share a fetch of its state.
        double sharing = room.waitingHit() * inFlight / clients.queuePairs();
        double fetches = sharing > 0 ? -Math.expm1(-sharing) / sharing : 1;
        double extra = requests() * room.missShare(clients.queuePairs()) * fetches * room.queuePairMissNs();
        if (room.translations() > 0) {
            extra += translationMisses(room, between) * room.translationMissNs();
        }
        return extra;
    }

    /**
     * Returns the translation misses (pages) per operation. Pages of table, heap and locks are requested at rates f,
     * and m is the rate of all misses. If a card caches c pages, a page is cached with probability f / (f + m / c),
     * since a fetched page replaces a random one. Let k = {@code between} be the operations of others in between. A
     * page accessed again for a write misses with the same probability times 1 - exp(-k (f + m / c)), or with 2k in
     * place of k for the record's page, as the lock is acquired in between; a page that a lookup continues to read,
     * times 1 - exp(-k m / c).
     */
    private double translationMisses(NicProfile.Contention room, double between) {
        double inTable = shape.inline() ? 1 : shape.tableBytesPerRecord() / shape.bytesPerRecord();
        double[] pages = {
            Math.ceil(tableBytes * inTable / room.pageBytes()),
            Math.ceil(tableBytes * (1 - inTable) / room.pageBytes()),
            writeShare > 0 ? Math.ceil((double) LOCK_BYTES / room.pageBytes()) : 0
        };
        double goesOn = demand.tableReads() - demand.randomReads();
        double[] touches = {
            demand.tableReads() * pagesOf(demand.readBytes(), shape.unitBytes(), room.pageBytes()) - goesOn,
            demand.heapReads() * pagesOf(demand.heapBytes(), shape.recordBytes(), room.pageBytes()),
            writeShare
        };
        if (pages[0] + pages[1] + pages[2] <= room.translations()) {
            return 0;
        }
        double[] again = {shape.inline() ? writeShare : 0, shape.inline() ? 0 : writeShare, writeShare};
        double low = 0;
        double high = touches[0] + goesOn + touches[1] + touches[2] + WRITES * writeShare;
        for (int step = 0; step < 50; step++) {
            double misses = (low + high) / 2;
            double lost = misses / room.translations();
            double missed = 0;
            for (int i = 0; i < pages.length; i++) {
                if (pages[i] > 0 && touches[i] > 0) {
                    double replaced = i == 0 ? goesOn * -Math.expm1(-between * lost) : 0;
                    double rate = (touches[i] + replaced) / pages[i];
                    double lists = i == 2 ? 1 : 2;
                    double asked = touches[i] + replaced - again[i] * Math.expm1(-lists * between * (rate + lost));
                    missed += asked * lost / (rate + lost);
                }
            }
            if (missed > misses) {
                low = misses;
            } else {
                high = misses;
            }
        }
        return high;
    }

    /** Returns the squared coefficient of variation of a request's time in the server's card due to misses. */
    double missVariation(Costs costs) {
        double missNs = nic.contention().translationMissNs();
        if (nic.contention().translations() == 0 || costs.contentionNs() == 0) {
            return 0;
        }
        double misses = Math.min(1, translationMisses(nic.contention(), 0) / requests());
        double requestNs = costs.serverNs() / requests();
        return misses * (1 - misses) * missNs * missNs / (requestNs * requestNs);
    }

    /** Returns the mean number of pages per READ that begins at a random multiple of {@code unitBytes}. */
    static double pagesOf(int bytes, int unitBytes, long pageBytes) {
        long step = ArithmeticUtils.gcd(unitBytes, pageBytes);
        long wholeSteps = Math.max(0, bytes - 1) / step;
        return 1 + (double) (wholeSteps * step) / pageBytes;
    }

    private double responseNs(double bytes) {
        double perByteNs = nic.packetNsPerByte(true);
        return perByteNs > 0 ? bytes * perByteNs : wireNs(bytes, nic.link().responseHeaderBytes());
    }

    private double requestNs(double bytes) {
        double perByteNs = nic.packetNsPerByte(false);
        return perByteNs > 0 ? bytes * perByteNs : wireNs(bytes, nic.link().requestHeaderBytes());
    }

    /** Returns the time by which a first packet's way through all stages exceeds the time of one stage. */
    private double firstPacketNs(double bytes) {
        return (nic.transfer().stages() - 1)
                * nic.packetNsPerByte(false)
                * Math.min(bytes, nic.link().mtuBytes());
    }

    /** Returns the time for which the card fetches a payload that is not inline. */
    private double payloadFetchNs(double bytes) {
        return bytes > nic.transfer().inlineBytes() ? nic.transfer().payloadFetchNs() : 0;
    }

    private double wireNs(double bytes, int headerBytes) {
        double packets = Math.max(1, Math.ceil(bytes / nic.link().mtuBytes()));
        return (bytes + packets * headerBytes) * wireNsPerByte;
    }

    /** Returns the requests that a client without think time posts at once. */
    public double listRequests() {
        double bytes = Math.max(8, (carriedBytes() / requests() + 7) / 8 * 8);
        double usual = Math.max(demand.readBytes(), demand.heapBytes());
        double buffer = Math.clamp(clients.sendQueue() * usual, SMALLEST_BUFFER_BYTES, LARGEST_BUFFER_BYTES);
        double fits = Math.min(clients.sendQueue(), buffer / bytes);
        return Math.max(demand.firstReads(), Math.floor(fits / demand.firstReads()) * demand.firstReads());
    }

    /** Returns the lookups per second from one server to clients without think time. */
    public double saturatedPerSecond() {
        double requests = listRequests();
        double posted = requests * clients.all();
        double rate = 0;
        // Some cards send slower with more posted requests, so more clients wait there.
        for (int i = 0; i < (nic.contention().outstanding() > 0 ? 12 : 1); i++) {
            double[] answer = closed(requests, posted);
            rate = answer[0];
            posted = (posted + answer[1] * requests) / 2;
        }
        return rate;
    }

    /** Returns the upper bound of the throughput, without any idle wait of server or clients. */
    public double boundPerSecond() {
        Costs costs = costs(0);
        double shared = Math.max(costs.serverNs(), costs.responseWireNs());
        shared = Math.max(shared, costs.requestNs() / clients.machines());
        double requests = listRequests();
        double lookups = requests / requests();
        double alone = (batchNs((int) requests, costs) / lookups + costs.clientNs()) / clients.all();
        return 1e9 / Math.max(shared, alone);
    }

    /** Returns the lookups per second, and the mean number of clients at the network. */
    private double[] closed(double requests, double posted) {
        Costs costs = costs(posted);
        double lookups = requests / requests();
        double shared = Math.max(costs.serverNs(), costs.responseWireNs());
        shared = Math.max(shared, costs.requestNs() / clients.machines());
        double batchNs = lookups * shared;
        double idleNs = batchNs(1, costs);
        double aloneNs = Math.max(batchNs, batchNs((int) requests, costs) - idleNs);
        double thinkNs = lookups * costs.clientNs()
                + nic.client().completionNs()
                + nic.client().doorbellNs()
                + idleNs;
        ClosedNetwork network = ClosedNetwork.of(clients.all(), aloneNs, batchNs, thinkNs);
        return new double[] {network.ratePerNs() * lookups * 1e9, network.meanAtNetwork()};
    }

    /**
     * Returns the time from the doorbell of a batch to its last completion, on an otherwise idle network. The batch has
     * an operation's share of WRITEs, which do not count as outstanding READs. Each kind of request follows the
     * responses to the previous kind, so a batch consists of one kind after the other.
     */
    double batchNs(int requests, Costs costs) {
        int writes = (int) Math.round(requests * WRITES * writeShare / requests());
        if (requests <= WRITES || writes == 0) {
            return batchNs(requests, costs, clients.outstandingReads());
        }
        NicProfile.Requester requester = nic.requester();
        double fetched = requester.workRequestFetchNs() / requester.workRequestPrefetch();
        double paceNs = Math.max(Math.max(fetched, requester.messageNs()), costs.serverNs() / requests());
        return batchNs(requests - writes, costs, clients.outstandingReads()) + writes * paceNs;
    }

    private double batchNs(int requests, Costs costs, int window) {
        NicProfile.Requester requester = nic.requester();
        double host = requester.hostNs() / 2;
        double requestWire = wireNs(0, nic.link().requestHeaderBytes());
        double stage = costs.serverNs() / requests();
        double wire = costs.responseWireNs() / requests();
        // The first packet leaves once it is fetched; the following packets do not delay it.
        double early = Math.max(0, demand.readBytes() - nic.link().mtuBytes())
                * nic.responder().payloadNsPerByte();
        // A queue pair sends the next READ a gap after the last one, which includes the sending stage.
        double gapNs = nic.transfer().readGapNs() == 0
                ? 0
                : Math.max(0, nic.transfer().readGapNs() + wire - requester.messageNs());
        double fixed = fixedNs();
        double back = fixed / 2 + firstPacketNs(demand.payloadBytes() / demand.reads());
        int followed = Math.min(requests, window > WIDE ? WIDE : 4 * window + 128);
        double[] answers = new double[Math.min(window, followed)];
        double leave = host;
        double served = 0;
        double sent = 0;
        double done = 0;
        int fetched = 1;
        int batch = 1;
        int fetches = 0;
        double fetchedNs = host;
        double doneBefore = 0;
        int half = followed / 2;
        for (int i = 0; i < followed; i++) {
            if (i >= fetched) {
                fetchedNs += requester.workRequestFetchNs();
                fetched += batch;
                if (++fetches >= 2 || batch > 1) {
                    batch = Math.min(requester.workRequestPrefetch(), 2 * batch);
                }
            }
            double readyNs = leave + (i > 0 ? gapNs : 0);
            leave = Math.max(Math.max(readyNs, fetchedNs), answers[i % answers.length]) + requester.messageNs();
            double arrives = leave + requestWire + fixed / 2;
            served = Math.max(arrives, served) + stage;
            sent = Math.max(Math.max(served - early, sent) + wire, served);
            done = sent + back;
            answers[i % answers.length] = done;
            if (i == half) {
                doneBefore = done;
            }
        }
        if (requests > followed && window > WIDE) {
            // No request has waited for a place yet. The slowest stage sets the pace, then the places do if they are
            // too few.
            double fetchNs = requester.workRequestFetchNs() / requester.workRequestPrefetch();
            double paceNs = Math.max(Math.max(fetchNs, requester.messageNs() + gapNs), Math.max(stage, wire));
            double tripNs = requester.messageNs() + requestWire + fixed / 2 + back + stage + wire;
            int unhindered = Math.min(requests, window);
            done += (unhindered - followed) * paceNs + (requests - unhindered) * Math.max(paceNs, tripNs / window);
        } else if (requests > followed) {
            // The rest of the batch proceeds at a constant rate of fetches and responses.
            done += (requests - followed) * (done - doneBefore) / (followed - 1 - half);
        }
        return done + host;
    }

    /** Returns the time of an idle READ outside of the stages. */
    private double fixedNs() {
        NicProfile.Requester requester = nic.requester();
        double staged = requester.hostNs()
                + requester.messageNs()
                + nic.responder().messageNs()
                + wireNs(0, nic.link().requestHeaderBytes())
                + responseNs(0);
        return Math.max(0, requester.roundTripNs() - staged);
    }

    /** Returns the part of a batch's time that the card's jitter stretches. */
    double jitteredNs(int requests) {
        int fetches = 0;
        int batch = 1;
        for (int fetched = 1; fetched < requests; fetched += batch) {
            if (++fetches > 2) {
                batch = Math.min(nic.requester().workRequestPrefetch(), 2 * batch);
            }
        }
        return fixedNs() + nic.requester().hostNs() + fetches * nic.requester().workRequestFetchNs();
    }

    /** Returns the standard deviation of the logarithm of the jitter. */
    double jitterSigma() {
        return Math.log(nic.requester().jitter()) / Z90;
    }

    public NicProfile nic() {
        return nic;
    }

    public Clients clients() {
        return clients;
    }

    double tableBytesOfServer() {
        return tableBytes;
    }

    public TableShape shape() {
        return shape;
    }
}

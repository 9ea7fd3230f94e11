package org.example.race;

import java.util.List;
import java.util.function.ToLongFunction;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.remote.OperationResult;

/** Client of several servers with a table each; a hash of the key selects one. Not thread-safe. */
final class PartitionedClient implements KeyValueClient {
    private final List<RaceClient> clients;
    private RaceClient last;

    /** @param clients by server */
    PartitionedClient(List<RaceClient> clients) {
        this.clients = List.copyOf(clients);
        this.last = clients.getFirst();
    }

    private RaceClient of(long key) {
        last = clients.get(RaceTable.server(key, clients.size()));
        return last;
    }

    @Override
    public OperationResult read(long key) throws FabricException {
        return of(key).read(key);
    }

    @Override
    public long firstWord() {
        return last.firstWord();
    }

    @Override
    public OperationResult write(long key, long value) throws FabricException {
        return of(key).write(key, value);
    }

    @Override
    public OperationResult delete(long key) throws FabricException {
        return of(key).delete(key);
    }

    @Override
    public void reconnect() throws FabricException {
        for (RaceClient client : clients) {
            client.reconnect();
        }
    }

    /** {@inheritDoc} That of the last operation. */
    @Override
    public OneSidedLink connection() {
        return last.connection();
    }

    private long sum(ToLongFunction<RaceClient> counter) {
        long sum = 0;
        for (int server = 0; server < clients.size(); server++) {
            sum += counter.applyAsLong(clients.get(server));
        }
        return sum;
    }

    @Override
    public long roundTrips() {
        return sum(KeyValueClient::roundTrips);
    }

    @Override
    public long requests() {
        return sum(KeyValueClient::requests);
    }

    @Override
    public long payloadBytes() {
        return sum(KeyValueClient::payloadBytes);
    }

    @Override
    public long retries() {
        return sum(KeyValueClient::retries);
    }

    @Override
    public long migrations() {
        return sum(KeyValueClient::migrations);
    }

    @Override
    public long splits() {
        return sum(KeyValueClient::splits);
    }

    @Override
    public long splitNs() {
        return sum(KeyValueClient::splitNs);
    }

    @Override
    public void close() {
        clients.forEach(RaceClient::close);
    }
}

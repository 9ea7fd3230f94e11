package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.remote.LoadLoop;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;
import org.reprobe.verb.VerbSettings.Exchange;

/** Client thread that SENDs one message at a time and waits for the server's, of the same length. */
final class SendPingPong implements LoadLoop.Operations {
    private static final int RECEIVE_ID = 1;
    private static final int SEND_ID = 2;

    private final VerbWorkload.Parameters plan;
    private final Client client;
    private final Counts counts;
    private final LoadLoop loop;
    private final MemorySegment local;
    private final ConnectionOptions options;
    private final Completions completions = new Completions(4);
    private final int divisor;
    private QueuePair queuePair;
    private Status broken = Status.SUCCESS;

    SendPingPong(VerbWorkload.Parameters plan, Client client, SampledInterval interval, Counts counts)
            throws FabricException {
        this.plan = plan;
        this.client = client;
        this.counts = counts;
        this.loop = new LoadLoop(client, interval, counts, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
        this.local = client.allocate(plan.verb().localBytes());
        this.options = VerbWorkload.messages(plan.verb(), 1);
        this.divisor = plan.verb().exchange() == Exchange.PING_PONG ? 2 : 1;
        this.queuePair = client.connect(local, options);
    }

    void run() throws FabricException {
        loop.run();
        queuePair.close();
    }

    @Override
    public int begin(int slot) throws FabricException {
        exchange();
        long latencyNs = loop.ended(slot, client.nowNs(), 1);
        if (latencyNs != LoadLoop.NOT_SAMPLED) {
            plan.count(counts, latencyNs / divisor, 1);
        }
        return 1;
    }

    private void exchange() throws FabricException {
        int bytes = plan.verb().bytes();
        queuePair.receive(RECEIVE_ID, plan.verb().bufferBytes(), bytes);
        queuePair.send(SEND_ID, 0, bytes, true);
        queuePair.doorbell();
        boolean flushed = false;
        for (int ended = 0; ended < 2; ) {
            ended += queuePair.await(completions);
            for (int i = 0; i < completions.count(); i++) {
                broken = completions.status(i);
                if (broken != Status.SUCCESS && broken != Status.FLUSHED) {
                    throw VerbWorkload.failure(broken);
                }
                flushed |= broken == Status.FLUSHED;
            }
        }
        if (flushed) {
            throw VerbWorkload.failure(Status.FLUSHED);
        }
    }

    @Override
    public int giveUp(FabricException failure) throws FabricException {
        plan.conditions().check(failure, broken);
        return 1;
    }

    @Override
    public void reconnect() throws FabricException {
        queuePair.close();
        queuePair = client.connect(local, options);
    }
}

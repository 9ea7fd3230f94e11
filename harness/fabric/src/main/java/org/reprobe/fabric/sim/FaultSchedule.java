package org.reprobe.fabric.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.reprobe.fabric.Fault;

/**
 * The faults of a run by virtual time: what a request meets on its way is asked of it, what befalls programs and connections
 * is an event of the engine's. Machines are numbered: servers first, then clients' where they are machines of their own.
 */
final class FaultSchedule {
    private static final long PS_PER_NS = 1000;

    private final List<Fault> faults;
    private final int servers;
    private final long retryPs;
    private long startPs = Long.MAX_VALUE;

    /** When connections may be found lost or programs end. */
    private final PriorityQueue<Long> eventsPs = new PriorityQueue<>();

    /**
     * Faults that have not begun.
     *
     * @param servers how many there are
     * @param retryNs how long a card tries again before it gives up
     */
    FaultSchedule(List<? extends Fault> faults, int servers, long retryNs) {
        this.faults = List.copyOf(faults);
        this.servers = servers;
        this.retryPs = retryNs * PS_PER_NS;
    }

    /** A machine's number. */
    int number(Fault.Machine machine) {
        return machine.serves() ? machine.number() : servers + machine.number();
    }

    long retryPs() {
        return retryPs;
    }

    boolean hasStarted() {
        return startPs != Long.MAX_VALUE;
    }

    /** Time begins to count. */
    void start(long ps) {
        startPs = ps;
        for (Fault fault : faults) {
            long fromPs = fromPs(fault);
            switch (fault) {
                case Fault.Crash _, Fault.Kill _ -> {
                    eventsPs.add(fromPs);
                    eventsPs.add(fromPs + retryPs);
                }
                case Fault.Cut _ -> eventsPs.add(fromPs + retryPs);
                case Fault.Slow _, Fault.Delay _ -> {}
            }
        }
    }

    /** When the next event is; {@link Long#MAX_VALUE} for none. */
    long nextEventPs() {
        Long next = eventsPs.peek();
        return next == null ? Long.MAX_VALUE : next;
    }

    /** Takes the events of a time away. */
    void passed(long ps) {
        while (nextEventPs() <= ps) {
            eventsPs.remove();
        }
    }

    /** Crashes and kills that begin at exactly this time. */
    List<Fault> beginningAt(long ps) {
        List<Fault> beginning = new ArrayList<>();
        for (Fault fault : faults) {
            if (fromPs(fault) == ps) {
                beginning.add(fault);
            }
        }
        return beginning;
    }

    private long fromPs(Fault fault) {
        return startPs + fault.fromNs() * PS_PER_NS;
    }

    private long untilPs(Fault fault) {
        return fault.untilNs() > Long.MAX_VALUE / PS_PER_NS - startPs
                ? Long.MAX_VALUE
                : startPs + fault.untilNs() * PS_PER_NS;
    }

    private boolean isOn(Fault fault, long ps) {
        return hasStarted() && ps >= fromPs(fault) && ps < untilPs(fault);
    }

    /** When a machine is up: {@code ps} itself, or later, or {@link Long#MAX_VALUE}. */
    long upAt(int machine, long ps) {
        long upPs = ps;
        for (Fault fault : faults) {
            if (fault instanceof Fault.Crash crash && number(crash.machine()) == machine && isOn(fault, upPs)) {
                upPs = Math.max(upPs, untilPs(fault));
            }
        }
        return upPs;
    }

    /** When programs of a machine that is down begin anew; {@link Long#MAX_VALUE} where it never does, or what it knew is lost. */
    long beginsAnewAt(int machine, long ps) {
        for (Fault fault : faults) {
            if (fault instanceof Fault.Crash crash
                    && number(crash.machine()) == machine
                    && !crash.keepsMemory()
                    && hasStarted()
                    && fromPs(fault) <= ps) {
                return Long.MAX_VALUE;
            }
        }
        return upAt(machine, ps);
    }

    /** Whether a machine crashes after {@code fromPs} and until {@code untilPs}, or is down then. */
    boolean fails(int machine, long fromPs, long untilPs) {
        for (Fault fault : faults) {
            if (fault instanceof Fault.Crash crash
                    && number(crash.machine()) == machine
                    && hasStarted()
                    && fromPs(fault) <= untilPs
                    && untilPs(fault) > fromPs) {
                return true;
            }
        }
        return false;
    }

    /** When something gets through from a machine to another: {@code ps} itself, or later, or {@link Long#MAX_VALUE}. */
    long openAt(int from, int to, long ps) {
        long openPs = ps;
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Fault fault : faults) {
                if (fault instanceof Fault.Cut cut
                        && number(cut.from()) == from
                        && number(cut.to()) == to
                        && isOn(fault, openPs)) {
                    openPs = untilPs(fault);
                    moved = true;
                }
            }
        }
        return openPs;
    }

    /** For how long nothing has got through from a machine to another. */
    long cutSince(int from, int to, long ps) {
        long sincePs = 0;
        for (Fault fault : faults) {
            if (fault instanceof Fault.Cut cut
                    && number(cut.from()) == from
                    && number(cut.to()) == to
                    && isOn(fault, ps)) {
                sincePs = Math.max(sincePs, ps - fromPs(fault));
            }
        }
        return sincePs;
    }

    /** When a machine can be reached by another: {@code ps} itself, or later, or {@link Long#MAX_VALUE}. */
    long reachableAt(int from, int to, long ps) {
        return Math.max(upAt(to, ps), Math.max(openAt(from, to, ps), openAt(to, from, ps)));
    }

    /** What a round trip takes longer. */
    long delayPs(int one, int other, long ps) {
        long delayPs = 0;
        for (Fault fault : faults) {
            if (fault instanceof Fault.Delay delay && isOn(fault, ps)) {
                int first = number(delay.one());
                int second = number(delay.other());
                if ((first == one && second == other) || (first == other && second == one)) {
                    delayPs += delay.ns() * PS_PER_NS;
                }
            }
        }
        return delayPs;
    }

    /** How many times as long a part of a machine takes. */
    double times(Fault.Part part, int machine, long ps) {
        double times = 1;
        for (Fault fault : faults) {
            if (fault instanceof Fault.Slow slow
                    && slow.part() == part
                    && number(slow.machine()) == machine
                    && isOn(fault, ps)) {
                times *= slow.times();
            }
        }
        return times;
    }
}

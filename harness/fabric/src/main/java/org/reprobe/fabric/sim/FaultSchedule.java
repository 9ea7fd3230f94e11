package org.reprobe.fabric.sim;

import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.fabric.Fault;

/**
 * Faults of a run in virtual time. Requests query here whether their path is open. Failures of programs and connections
 * are events of the engine. Machines are numbered servers first, then separate client machines.
 */
final class FaultSchedule {
    private static final long PS_PER_NS = 1000;

    private final List<Fault> faults;
    private final int servers;
    private final long failsPs;
    /** Times of a request's retransmissions since its loss. */
    private final long[] againPs;

    private long startPs = Long.MAX_VALUE;

    /** Times at which programs end or cards may detect lost connections. */
    private final PriorityQueue<Long> eventsPs = new PriorityQueue<>();

    /** Creates a schedule whose time has not started. */
    FaultSchedule(List<? extends Fault> faults, int servers, RetransmissionTimes retransmission) {
        this.faults = List.copyOf(faults);
        this.servers = servers;
        this.failsPs = retransmission.failsNs() * PS_PER_NS;
        this.againPs = Arrays.stream(retransmission.againNs())
                .map(ns -> ns * PS_PER_NS)
                .toArray();
    }

    int number(Fault.Machine machine) {
        return machine.serves() ? machine.number() : servers + machine.number();
    }

    /** Returns the time from the loss of a request to the card's error. */
    long failsPs() {
        return failsPs;
    }

    boolean hasStarted() {
        return startPs != Long.MAX_VALUE;
    }

    /** Sets the origin of the faults' times, in picoseconds of virtual time. */
    void start(long ps) {
        startPs = ps;
        for (Fault fault : faults) {
            long fromPs = fromPs(fault);
            switch (fault) {
                case Fault.Crash _, Fault.Kill _ -> {
                    eventsPs.add(fromPs);
                    eventsPs.add(fromPs + failsPs);
                }
                case Fault.Cut _ -> eventsPs.add(fromPs + failsPs);
                case Fault.Slow _, Fault.Delay _ -> {}
            }
        }
    }

    /** Returns the time of the next event; {@link Long#MAX_VALUE} if there is none. */
    long nextEventPs() {
        Long next = eventsPs.peek();
        return next == null ? Long.MAX_VALUE : next;
    }

    void passed(long ps) {
        while (nextEventPs() <= ps) {
            eventsPs.remove();
        }
    }

    List<Fault> beginningAt(long ps) {
        return faults.stream().filter(fault -> fromPs(fault) == ps).toList();
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

    /** Returns the earliest time, from {@code ps} on, at which a machine is up; {@link Long#MAX_VALUE} for never. */
    long upAt(int machine, long ps) {
        long upPs = ps;
        for (Fault fault : faults) {
            if (fault instanceof Fault.Crash crash && number(crash.machine()) == machine && isOn(fault, upPs)) {
                upPs = Math.max(upPs, untilPs(fault));
            }
        }
        return upPs;
    }

    /**
     * Returns the restart time of a failed machine's programs; {@link Long#MAX_VALUE} if the machine stays down or
     * loses its memory.
     */
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

    /** Returns true if a machine is down at some time after {@code fromPs} and until {@code untilPs}. */
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

    private boolean isOpen(int from, int to, long ps) {
        return openAt(from, to, ps) == ps;
    }

    /**
     * Returns the time of the first transmission of a request that finds the link open; {@link Long#MAX_VALUE} if none
     * does.
     *
     * @param ps time of the first transmission
     */
    long arrivesAt(int from, int to, long ps) {
        if (isOpen(from, to, ps)) {
            return ps;
        }
        for (long afterPs : againPs) {
            if (isOpen(from, to, ps + afterPs)) {
                return ps + afterPs;
            }
        }
        return Long.MAX_VALUE;
    }

    /**
     * Returns the time from the first transmission of a request that has arrived to the one whose reply arrives;
     * {@link Long#MAX_VALUE} if none does.
     */
    long repliedAfter(int from, int to, long ps, long servedPs) {
        if (isOpen(to, from, servedPs)) {
            return 0;
        }
        for (long afterPs : againPs) {
            if (isOpen(from, to, ps + afterPs) && isOpen(to, from, servedPs + afterPs)) {
                return afterPs;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Returns the earliest time, from {@code ps} on, at which the link is open; {@link Long#MAX_VALUE} for never. */
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

    /** Returns the time for which the link has been cut. */
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

    /**
     * Returns the earliest time, from {@code ps} on, at which a machine is reachable; {@link Long#MAX_VALUE} for never.
     */
    long reachableAt(int from, int to, long ps) {
        return Math.max(upAt(to, ps), Math.max(openAt(from, to, ps), openAt(to, from, ps)));
    }

    /** Returns the extra round-trip time between two machines. */
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

    /** Returns the slow-down factor of a machine's CPU or card. */
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

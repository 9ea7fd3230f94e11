package org.reprobe.farm;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.Settings;

/** Rough estimate of the time to simulate a cluster. */
final class SimulationTime {
    /** Time of an operation under load that the card does not limit, in s. */
    private static final double LOADED_OPERATION_S = 25e-6;

    /** READs per second that one core simulates. */
    private static final double SIMULATED_PER_S = 3e5;

    private SimulationTime() {}

    /** Returns the time on one core in s. The rate of a NIC is that with as many incoming as outgoing requests. */
    static double seconds(Settings settings, NicProfile nic, int inFlight) {
        double virtualSeconds =
                (settings.measure().warmUpMs() + settings.measure().durationMs()) / 1e3;
        double asked = settings.clients().total() * (double) inFlight / LOADED_OPERATION_S;
        double served = settings.clients().machines() * nic.model().peakMessagesPerSecond();
        return virtualSeconds * Math.min(asked, served) / SIMULATED_PER_S;
    }
}

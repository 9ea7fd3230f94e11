package org.reprobe.farm;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.Settings;

/** How long clusters take to simulate: rough, since it only weighs runs against each other. */
final class SimulationTime {
    /** An operation under load, where the card is not what bounds it. */
    private static final double LOADED_OPERATION_S = 25e-6;

    /** What one core simulates, of READs. */
    private static final double SIMULATED_PER_S = 3e5;

    private SimulationTime() {}

    /**
     * Seconds on one core.
     *
     * @param nic of each machine; its rate is that of machines that ask as much as they serve
     * @param inFlight of a thread
     */
    static double seconds(Settings settings, NicProfile nic, int inFlight) {
        double virtualSeconds =
                (settings.measure().warmUpMs() + settings.measure().durationMs()) / 1e3;
        double asked = settings.clients().total() * (double) inFlight / LOADED_OPERATION_S;
        double served = settings.clients().machines() * nic.model().peakMessagesPerSecond();
        return virtualSeconds * Math.min(asked, served) / SIMULATED_PER_S;
    }
}

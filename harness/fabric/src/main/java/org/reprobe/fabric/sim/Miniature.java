package org.reprobe.fabric.sim;

/**
 * Scale factors of a simulation that represents a larger experiment.
 *
 * @param memory bytes of the experiment per registered byte; divides the card's capacity for translations
 * @param requests requests of the experiment, between a READ and the READ that continues it, per simulated request
 */
public record Miniature(double memory, double requests) {
    /** Full scale. */
    public static final Miniature NONE = new Miniature(1, 1);
}

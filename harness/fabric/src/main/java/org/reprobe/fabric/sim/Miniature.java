package org.reprobe.fabric.sim;

/**
 * What a simulation stands for on the card when it is a small copy of an experiment.
 *
 * @param memory bytes of the experiment for each registered byte: the card has room for as many times fewer translations
 * @param requests of the experiment, between a READ and the one that goes on behind it, for each that is simulated
 */
public record Miniature(double memory, double requests) {
    /** Nothing but itself. */
    public static final Miniature NONE = new Miniature(1, 1);
}

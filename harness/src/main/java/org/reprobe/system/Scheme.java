package org.reprobe.system;

/**
 * A scheme: one way in which a system can be run.
 *
 * @param name the word in scenario files
 * @param title the paper's name for it, for figures
 */
public record Scheme(String name, String title) {}

package org.reprobe.explore;

/**
 * A line of a timeline.
 *
 * @param program a client's index; the server's is behind the last client's
 * @param what in words
 * @param operation whether a client asks or is told something; else a request takes effect, or a program does something
 */
public record Moment(int program, String what, boolean operation) {}

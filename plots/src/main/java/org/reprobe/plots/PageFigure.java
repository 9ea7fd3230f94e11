package org.reprobe.plots;

/**
 * Figure in a page: its SVG for both sizes of pages, a thumbnail that refers to it, and what is drawn in sentences; a
 * wide one does not fit beside a table.
 */
public record PageFigure(String svg, String thumbnail, String reading, boolean wide) {}

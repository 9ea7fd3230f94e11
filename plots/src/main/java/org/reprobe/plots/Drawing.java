package org.reprobe.plots;

/** Scene of a width and height in units of {@code unitPt} points (1/72 inch), with the fonts of its texts. */
record Drawing(int width, int height, double unitPt, Fonts fonts, Scene scene) {}

package org.reprobe.plots;

/** Graphics of a document in which text stays text, which can be searched and selected. */
sealed interface TextGraphics permits SvgGraphics, PdfGraphics {}

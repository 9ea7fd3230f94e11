package org.reprobe.plots;

import java.io.IOException;

/** Missing graphics libraries of this machine's Java; nothing was written. The measurements are unaffected. */
public final class FiguresUnavailableException extends IOException {
    FiguresUnavailableException(Throwable cause) {
        super(
                "figures can't be drawn: this Java runtime lacks its graphics libraries (" + cause.getMessage()
                        + "). Use a complete JDK 25 with the module java.desktop; a distribution's \"headless\" package"
                        + " also needs its freetype library. The measurements are complete: draw the figures later with"
                        + " ./run.sh report DIR",
                cause);
    }
}

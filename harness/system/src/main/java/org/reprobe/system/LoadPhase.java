package org.reprobe.system;

import java.util.OptionalDouble;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Entry of {@code load.phases}. */
@Section(meaning = "Phase of the offered load.")
public record LoadPhase(
        @Key(above = 0, max = 86_400_000, example = "for-ms: 2", meaning = "Length in milliseconds.")
        double forMs,

        @Key(min = 0, max = 1e12, example = "rate-per-s: 1e6", meaning = """
                Total lookups per second of all clients, at random (Poisson) times.""")
        double ratePerS,

        @Key(min = 0, max = 1e12, example = "to-per-s: 4e6", meaning = """
                Rate at the end of the phase, to which the rate changes linearly; without it the rate is constant.""")
        OptionalDouble toPerS) {}

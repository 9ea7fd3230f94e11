package org.example.robinhood;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

@Section(name = "robin-hood", meaning = "Scheme robin-hood: linear probing whose lookups stop early.")
public record RobinHoodSettings(
        @Key(byDefault = "4", min = 1, max = 1024, meaning = "Slots of one READ, of 16 bytes each.")
        int readSlots) {}

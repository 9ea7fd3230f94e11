package org.reprobe.analysis.measurement;

import org.reprobe.analysis.document.EnumWord;

/** Source of a number; every stored or shown number has one. */
public enum Kind {
    /** Real time on real memory: {@code shm}, {@code tcp}, {@code verbs}. */
    MEASURED,
    /** Virtual time on the simulated network card: {@code sim}. */
    SIMULATED,
    /** Result of a formula; no lookup was run. */
    PREDICTED;

    public String word() {
        return EnumWord.of(this);
    }

    /** Returns the kind with a word; throws an {@link IllegalArgumentException} if there is none. */
    public static Kind ofWord(String word) {
        for (Kind kind : values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown kind \"" + word + "\"; one of measured, simulated, predicted");
    }
}

package org.reprobe.analysis.measurement;

/** Source of a number; every stored or shown number has one. */
public enum Kind {
    /** Real time on real memory: {@code shm}, {@code tcp}, {@code verbs}. */
    MEASURED("measured"),
    /** Virtual time on the simulated network card: {@code sim}. */
    SIMULATED("simulated"),
    /** Result of a formula; no lookup was run. */
    PREDICTED("predicted");

    private final String word;

    Kind(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /**
     * Returns the kind with a word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Kind ofWord(String word) {
        for (Kind kind : values()) {
            if (kind.word.equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown kind \"" + word + "\"; one of measured, simulated, predicted");
    }
}

package org.reprobe.analysis.measurement;

/** Where a number comes from. It travels with every number and is never mixed up. */
public enum Kind {
    /** Real time on real memory: {@code shm}, {@code tcp}, {@code verbs}. */
    MEASURED("measured"),
    /** Virtual time on the simulated network card: {@code sim}. */
    SIMULATED("simulated"),
    /** A formula's answer; no lookup was run. */
    PREDICTED("predicted");

    private final String word;

    Kind(String word) {
        this.word = word;
    }

    /** The word used in files and figures. */
    public String word() {
        return word;
    }

    /**
     * The kind that a word names.
     *
     * @throws IllegalArgumentException when it names none
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

package org.reprobe.doctor;

/** Finding about a subject such as {@code mlx5_0 port 1} with its severity and, unless it is fine, the remedy. */
public record Diagnosis(Weight weight, String subject, String words) {

    public enum Weight {
        FINE("ok"),
        WARNING("warning"),
        PROBLEM("PROBLEM");

        private final String word;

        Weight(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    static Diagnosis fine(String subject, String words) {
        return new Diagnosis(Weight.FINE, subject, words);
    }

    static Diagnosis warning(String subject, String words) {
        return new Diagnosis(Weight.WARNING, subject, words);
    }

    static Diagnosis problem(String subject, String words) {
        return new Diagnosis(Weight.PROBLEM, subject, words);
    }
}

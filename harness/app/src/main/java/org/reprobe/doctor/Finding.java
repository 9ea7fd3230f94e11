package org.reprobe.doctor;

/**
 * Something that was looked at.
 *
 * @param weight whether it prevents verbs, spoils numbers or is fine
 * @param subject such as {@code mlx5_0 port 1}
 * @param words what was found and, unless it is fine, what to do
 */
public record Finding(Weight weight, String subject, String words) {

    /** How bad it is. */
    public enum Weight {
        FINE("ok"),
        WARNING("warning"),
        PROBLEM("PROBLEM");

        private final String word;

        Weight(String word) {
            this.word = word;
        }

        /** For people. */
        public String word() {
            return word;
        }
    }

    static Finding fine(String subject, String words) {
        return new Finding(Weight.FINE, subject, words);
    }

    static Finding warning(String subject, String words) {
        return new Finding(Weight.WARNING, subject, words);
    }

    static Finding problem(String subject, String words) {
        return new Finding(Weight.PROBLEM, subject, words);
    }
}

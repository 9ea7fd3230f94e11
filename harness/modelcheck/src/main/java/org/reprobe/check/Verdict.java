package org.reprobe.check;

/** What a check of a history came to. */
public sealed interface Verdict {

    /** One after the other, in some order that agrees with their times, the operations would have had these results. */
    record Linearizable() implements Verdict {}

    /**
     * No order explains the results.
     *
     * @param part the operations that can't be explained together: of one key where the model allows, up to the first
     *     return that can't be; what was under way then is pending
     * @param culprit the operation of that return
     */
    record NotLinearizable(History part, Event culprit) implements Verdict {

        /** A timeline with a sentence above it. */
        public String words() {
            return "No order of these operations explains client " + culprit.client() + "'s " + culprit.words() + ":\n"
                    + Timeline.of(part);
        }
    }

    /**
     * The bound was reached before an answer was found.
     *
     * @param configurations how many were looked at
     */
    record Undecided(long configurations) implements Verdict {}
}

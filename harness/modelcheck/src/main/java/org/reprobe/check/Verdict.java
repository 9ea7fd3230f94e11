package org.reprobe.check;

public sealed interface Verdict {

    record Linearizable() implements Verdict {}

    /**
     * No order gives the results.
     *
     * @param part minimal unexplained operations: of one key if the model permits, up to the first impossible return;
     * operations not returned by then are pending
     * @param culprit the operation of that return
     */
    record NotLinearizable(History part, Event culprit) implements Verdict {

        /** Returns a sentence and a timeline. */
        public String words() {
            return "No order of these operations explains client " + culprit.client() + "'s " + culprit.words() + ":\n"
                    + Timeline.of(part);
        }
    }

    record Undecided(long configurations) implements Verdict {}
}

package org.reprobe.check;

/** Result of a check for linearizability. */
public sealed interface Verdict {

    record Linearizable() implements Verdict {}

    /**
     * No order explains the results of {@code part}: the operations of one key, if keys are independent, up to the
     * first impossible return, that of {@code culprit}. Operations that had not returned by then are pending.
     */
    record NotLinearizable(History part, Event culprit) implements Verdict {

        /** Returns the verdict as one sentence, and the timeline. */
        public String text() {
            return "No order of these operations explains client " + culprit.client() + "'s " + culprit.text() + ":\n"
                    + Timeline.of(part);
        }
    }

    record Undecided(long configurations) implements Verdict {}
}

package org.reprobe.explore;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What can happen next: a kind and whose, in one int. */
final class Action {
    /** The next request of a queue pair takes effect, or the next word of it. */
    static final int SERVE = 0;

    /** The next request of a queue pair takes effect from its last word on; or only its next word comes from there. */
    static final int REVERSE = 1;

    /** A queue pair's next completion reaches its owner. */
    static final int DELIVER = 2;

    /** A program goes on. */
    static final int GO = 3;

    /** A client dies; what it has posted is still under way. */
    static final int CRASH = 4;

    /** What was posted on the queue pair of a dead client, or of a broken connection, and was not begun is lost. */
    static final int LOSE = 5;

    /** A server that waits for news is told of a client's broken connections, or of its death. The queue pair is the server's number. */
    static final int NOTICE = 6;

    /** The deadline of a program's wait passes. */
    static final int PASS = 7;

    /** The connection of a queue pair breaks; what was posted on it is still under way. */
    static final int BREAK = 8;

    /** A server's machine fails. The queue pair is the server's number. */
    static final int FAIL = 9;

    /** A server's machine that has failed comes back. */
    static final int RESTART = 10;

    /** A link between a client's machine and a server's is cut. The queue pair is the {@link Links#code} of the link and the way. */
    static final int CUT = 11;

    /** A link that was cut carries packets again, both ways. */
    static final int MEND = 12;

    /** The connection of a queue pair ends that hears nothing of the other end any more. */
    static final int GIVE_UP = 13;

    /** The next word lands of the WRITE behind a queue pair's next one. */
    static final int OVERTAKE = 14;

    static final String LETTERS = "srdgxlntbfucmqo";
    private static final Pattern FORM = Pattern.compile("([" + LETTERS + "])(\\d{1,3})(?:\\.(\\d{1,3}))?");

    private Action() {}

    /** @param queuePair the process's, from 0; 0 where the action is not a queue pair's */
    static int of(int kind, int process, int queuePair) {
        return kind << 20 | process << 10 | queuePair;
    }

    static int kind(int action) {
        return action >>> 20;
    }

    static int process(int action) {
        return action >>> 10 & 1023;
    }

    static int queuePair(int action) {
        return action & 1023;
    }

    /** Whether it is a fault, of which there are only so many. */
    static boolean isFault(int action) {
        int kind = kind(action);
        return kind == CRASH || kind == BREAK || kind == FAIL || kind == CUT;
    }

    /** Whether it is a machine's or a link's, and so no step of a program. */
    static boolean isOfMachines(int action) {
        int kind = kind(action);
        return kind == FAIL || kind == RESTART || kind == CUT || kind == MEND;
    }

    /** Whether the cut of a link ends so, for all or for one connection. */
    static boolean endsACut(int action) {
        return kind(action) == MEND || kind(action) == GIVE_UP;
    }

    /** Like {@code s0}, or {@code s0.1} for the second queue pair of client 0. */
    static String words(int action) {
        String text = String.valueOf(LETTERS.charAt(kind(action))) + process(action);
        return queuePair(action) == 0 ? text : text + "." + queuePair(action);
    }

    /** The action that has these words, or null. */
    static @Nullable Integer parse(String words) {
        Matcher matcher = FORM.matcher(words);
        if (!matcher.matches()) {
            return null;
        }
        String queuePair = matcher.group(3);
        return of(
                LETTERS.indexOf(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                queuePair == null ? 0 : Integer.parseInt(queuePair));
    }
}

package org.reprobe.explore;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Step of a schedule: a kind, a program and a queue pair, encoded in an int. */
final class Action {
    /** Executes the next request of a queue pair, or its next word. */
    static final int SERVE = 0;

    /** Executes the next request of a queue pair in descending order of its words, or only its last remaining word. */
    static final int REVERSE = 1;

    /** Delivers a queue pair's next completion. */
    static final int DELIVER = 2;

    static final int GO = 3;

    /** Kills a client; its posted requests stay in flight. */
    static final int CRASH = 4;

    /** Drops the posted requests of a dead client or a broken connection that have not begun to take effect. */
    static final int LOSE = 5;

    /** Notifies a waiting server (its number as queue pair) of a client's broken connections or death. */
    static final int NOTICE = 6;

    static final int PASS = 7;

    /** Breaks the connection of a queue pair; its posted requests stay in flight. */
    static final int BREAK = 8;

    /** Fails a server's machine. The server's number takes the queue pair's place. */
    static final int FAIL = 9;

    /** Restarts a server's failed machine. */
    static final int RESTART = 10;

    /** Cuts a link between a client's machine and a server's; a {@link Links#code} takes the queue pair's place. */
    static final int CUT = 11;

    static final int MEND = 12;

    /** Ends the connection of a queue pair that receives nothing more from the other end. */
    static final int GIVE_UP = 13;

    /** Lands the next word of the WRITE that follows a queue pair's current WRITE. */
    static final int OVERTAKE = 14;

    static final String LETTERS = "srdgxlntbfucmqo";
    private static final Pattern FORM = Pattern.compile("([" + LETTERS + "])(\\d{1,3})(?:\\.(\\d{1,3}))?");

    private Action() {}

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

    /** Returns true for a fault, whose number is limited. */
    static boolean isFault(int action) {
        int kind = kind(action);
        return kind == CRASH || kind == BREAK || kind == FAIL || kind == CUT;
    }

    /** Returns true for an action of a machine or a link, as opposed to a step of a program. */
    static boolean isOfMachines(int action) {
        int kind = kind(action);
        return kind == FAIL || kind == RESTART || kind == CUT || kind == MEND;
    }

    /** Returns true if the action ends the cut of a link, for all connections or for one. */
    static boolean endsACut(int action) {
        return kind(action) == MEND || kind(action) == GIVE_UP;
    }

    static String text(int action) {
        String text = String.valueOf(LETTERS.charAt(kind(action))) + process(action);
        return queuePair(action) == 0 ? text : text + "." + queuePair(action);
    }

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

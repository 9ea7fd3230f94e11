package org.reprobe.explore;

/**
 * A line of a timeline.
 *
 * @param program a client's index; those of servers with a program come behind the last client's
 * @param what in words
 * @param operation whether a client asks or is told something; else a request takes effect, or a program does something
 */
public record TimelineEvent(int program, String what, boolean operation) {

    /**
     * What a program is called.
     *
     * @param clients how many clients there are
     */
    public static String title(int program, int clients) {
        if (program < clients) {
            return "client " + program;
        }
        return program == clients ? "server" : "server " + (program - clients);
    }
}

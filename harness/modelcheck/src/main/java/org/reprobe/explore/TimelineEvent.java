package org.reprobe.explore;

/** Line of a timeline: an operation's invocation or return, or another event. Servers are numbered after clients. */
public record TimelineEvent(int program, String what, boolean operation) {

    public static String title(int program, int clients) {
        if (program < clients) {
            return "client " + program;
        }
        return program == clients ? "server" : "server " + (program - clients);
    }
}

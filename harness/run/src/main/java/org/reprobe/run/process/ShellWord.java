package org.reprobe.run.process;

public final class ShellWord {
    private ShellWord() {}

    /** Returns a word in quotes, so that the shell takes it literally. */
    public static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Returns a word as typed: in quotes only where necessary. */
    public static String typed(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : quoted(word);
    }
}

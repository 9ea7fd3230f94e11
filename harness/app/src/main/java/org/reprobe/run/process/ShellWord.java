package org.reprobe.run.process;

/** Words of a command line, as a shell reads them. */
public final class ShellWord {
    private ShellWord() {}

    /** A word that means itself, whatever is in it. */
    public static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** A word as one types it: with quotes only where they are needed. */
    public static String typed(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : quoted(word);
    }
}

package org.reprobe.explore;

import java.util.ArrayList;
import java.util.List;

/** Events of a schedule, step by step, with one column per program. */
final class Narration {
    private static final int MAX_VALUES = 4;

    private record Line(int program, String what, int times, boolean operation) {
        String text() {
            return times == 1 ? what : what + " (" + times + " times)";
        }
    }

    private final List<Line> lines = new ArrayList<>();
    private final List<String> values = new ArrayList<>();
    private boolean transfers;
    private int transferProgram;
    private String transferName = "";
    private int firstWord;
    private int lastWord;
    private int totalWords;

    private int storingProgram;
    private String storedPlace = "";
    private String storedValue = "";
    private long storesEnd;
    private long storedWords;

    void add(int program, String what) {
        add(program, what, false);
    }

    /** Adds an invocation or a return of an operation. */
    void addOperation(int program, String what) {
        add(program, what, true);
    }

    private void add(int program, String what, boolean operation) {
        endTransfer();
        endStores();
        Line before = lines.isEmpty() ? null : lines.getLast();
        if (before != null && before.program == program && before.what.equals(what)) {
            lines.set(lines.size() - 1, new Line(program, what, before.times + 1, operation));
        } else {
            lines.add(new Line(program, what, 1, operation));
        }
    }

    void addWord(int program, String name, int word, int total, String value) {
        endStores();
        boolean follows = transfers
                && transferProgram == program
                && transferName.equals(name)
                && lastWord != word
                && Math.abs(word - lastWord) == 1;
        if (!follows) {
            endTransfer();
            transfers = true;
            transferProgram = program;
            transferName = name;
            firstWord = word;
            totalWords = total;
        }
        lastWord = word;
        values.add(value);
    }

    /** Adds words that a program's CPU has stored. Consecutive words become one line. */
    void addStores(int program, long address, int words, String place, String value) {
        endTransfer();
        if (storedWords == 0 || storingProgram != program || storesEnd != address) {
            endStores();
            storingProgram = program;
            storedPlace = place;
            storedValue = value;
        }
        storedWords += words;
        storesEnd = address + (long) words * Long.BYTES;
    }

    private void endStores() {
        if (storedWords > 0) {
            String what = storedWords == 1 ? " := " + storedValue : " (" + storedWords * Long.BYTES + " B)";
            storedWords = 0;
            add(storingProgram, "stores " + storedPlace + what);
        }
    }

    private void endTransfer() {
        if (!transfers) {
            return;
        }
        transfers = false;
        String part = values.size() == totalWords
                ? ""
                : ", word " + firstWord + (firstWord == lastWord ? "" : " to " + lastWord) + " of 0 to "
                        + (totalWords - 1);
        String shown = values.size() > MAX_VALUES
                ? ""
                : (transferName.startsWith("READ") ? " -> " : " := ") + String.join(" ", values);
        values.clear();
        add(transferProgram, transferName + part + shown);
    }

    List<TimelineEvent> moments() {
        endTransfer();
        endStores();
        return lines.stream()
                .map(line -> new TimelineEvent(line.program, line.text(), line.operation))
                .toList();
    }

    /** @param clients programs with higher numbers are servers */
    String text(int clients) {
        endTransfer();
        endStores();
        int programs =
                Math.max(clients, lines.stream().mapToInt(Line::program).max().orElse(0) + 1);
        int[] widths = new int[programs];
        for (int i = 0; i < programs; i++) {
            widths[i] = TimelineEvent.title(i, clients).length();
        }
        for (Line line : lines) {
            widths[line.program] = Math.max(widths[line.program], line.text().length());
        }
        StringBuilder text = new StringBuilder("      ");
        for (int i = 0; i < programs; i++) {
            String title = TimelineEvent.title(i, clients);
            text.append(title).repeat(' ', i == programs - 1 ? 0 : widths[i] - title.length() + 3);
        }
        text.append('\n');
        int step = 0;
        for (Line line : lines) {
            text.append("%4d  ".formatted(++step));
            for (int i = 0; i < line.program; i++) {
                text.repeat(' ', widths[i] + 3);
            }
            text.append(line.text()).append('\n');
        }
        return text.toString();
    }
}

package org.reprobe.cli.base;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Text in aligned columns; on a terminal no wider than that, where words can be broken or left out. */
public final class TextTable {
    private static final int NO_LIMIT = Integer.MAX_VALUE;
    private static final String GAP = "  ";
    private static final String ELLIPSIS = "...";
    private static final Pattern LINE_BREAK = Pattern.compile("\\R");
    private static final int MIN_COLUMN = 16;

    private final List<List<String>> rows = new ArrayList<>();
    private final String alignment;

    /** @param alignment one letter per column: {@code l}, {@code r}, or {@code s} for text that may be shortened */
    public TextTable(String alignment, String... titles) {
        this.alignment = alignment;
        rows.add(List.of(titles));
    }

    /** Adds a row. Line breaks in its texts become spaces, so that they don't look like rows. */
    public void add(String... cells) {
        rows.add(Arrays.stream(cells).map(TextTable::inLine).toList());
    }

    public static String inLine(String text) {
        return LINE_BREAK.matcher(text).replaceAll(" ");
    }

    /** Returns the text in the width of the terminal that run.sh reports, if standard output is one. */
    @Override
    public String toString() {
        return fit(Integer.getInteger("reprobe.columns", NO_LIMIT));
    }

    public String fit(int columns) {
        int[] widths = widths();
        while (width(widths) > columns) {
            int widest = widestText(widths);
            if (widest < 0) {
                break; // numbers are never broken
            }
            widths[widest]--;
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            List<List<String>> cells = new ArrayList<>();
            int lines = 1;
            for (int i = 0; i < widths.length; i++) {
                cells.add(
                        alignment.charAt(i) == 's'
                                ? List.of(shortened(row.get(i), widths[i]))
                                : broken(row.get(i), widths[i]));
                lines = Math.max(lines, cells.getLast().size());
            }
            for (int line = 0; line < lines; line++) {
                text.append(line(cells, line, widths)).append('\n');
            }
        }
        return text.toString();
    }

    private int[] widths() {
        int[] widths = new int[alignment.length()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    private static int width(int[] widths) {
        int sum = (widths.length - 1) * GAP.length();
        for (int width : widths) {
            sum += width;
        }
        return sum;
    }

    /** Returns the widest column of text that can be narrower; -1 for none. */
    private int widestText(int[] widths) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            boolean text = alignment.charAt(i) != 'r' && widths[i] > MIN_COLUMN;
            if (text && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private static String shortened(String cell, int width) {
        return cell.length() <= width ? cell : cell.substring(0, width - ELLIPSIS.length()) + ELLIPSIS;
    }

    /** Breaks a cell into lines of at most this width, behind a blank or a comma where there is one. */
    private static List<String> broken(String cell, int width) {
        List<String> lines = new ArrayList<>();
        String rest = cell;
        while (rest.length() > width) {
            int end = width;
            for (int i = width; i > 0; i--) {
                char before = rest.charAt(i - 1);
                if (before == ' ' || before == ',' || (i < rest.length() && rest.charAt(i) == ' ')) {
                    end = i;
                    break;
                }
            }
            lines.add(rest.substring(0, end).strip());
            rest = rest.substring(end).strip();
        }
        lines.add(rest);
        return lines;
    }

    private String line(List<List<String>> cells, int number, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = number < cells.get(i).size() ? cells.get(i).get(number) : "";
            int gap = widths[i] - cell.length();
            boolean right = alignment.charAt(i) == 'r';
            line.append(i == 0 ? "" : GAP);
            line.repeat(' ', right ? gap : 0).append(cell).repeat(' ', right ? 0 : gap);
        }
        return line.toString().stripTrailing();
    }
}

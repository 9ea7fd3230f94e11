package org.reprobe.cli;

import java.util.ArrayList;
import java.util.List;

/** Lines of text in aligned columns. */
final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();
    private final String alignment;

    /** @param alignment a letter a column: {@code l} or {@code r} */
    TextTable(String alignment, String... titles) {
        this.alignment = alignment;
        rows.add(List.of(titles));
    }

    void add(String... cells) {
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        int[] widths = new int[alignment.length()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                int gap = widths[i] - cell.length();
                boolean right = alignment.charAt(i) == 'r';
                line.append(i == 0 ? "" : "  ");
                line.repeat(' ', right ? gap : 0).append(cell).repeat(' ', right ? 0 : gap);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}

package org.reprobe.analysis.claims;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who published what a claims file holds.
 *
 * @param name as ids and {@code reproduces} have it: {@code linear-probing}
 * @param title null for a collection of several sources, each of which its claims name
 * @param authors in the paper's order
 * @param venue where it appeared
 * @param year 0 where there is none
 * @param link its DOI's address, or another lasting one; null where none is known
 */
public record Paper(
        String name,
        @Nullable String title,
        List<String> authors,
        @Nullable String venue,
        int year,
        @Nullable String link) {

    public Paper {
        authors = List.copyOf(authors);
    }

    /** Authors, title, venue, year and link in one line; the name alone where there is no title. */
    public String citation() {
        if (title == null) {
            return name;
        }
        StringBuilder text = new StringBuilder();
        if (!authors.isEmpty()) {
            text.append(String.join(", ", authors)).append(": ");
        }
        text.append(title);
        if (venue != null) {
            text.append(", ").append(venue);
        }
        if (year > 0) {
            text.append(", ").append(year);
        }
        return text.append(link == null ? "" : ", " + link).toString();
    }
}

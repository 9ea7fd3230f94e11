package org.reprobe.analysis.claims;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/**
 * Who published what a claims file holds.
 *
 * @param title null for a collection of several sources, each of which its claims name
 * @param authors in the paper's order
 * @param year 0 where there is none
 * @param link null where none is known
 */
@Section(
        alone = "name",
        meaning = "Who published it; only a name for a collection of several sources, each of which its claims name.")
public record Paper(
        @Key(meaning = "The file's name, as ids and reproduces have it.")
        String name,

        @Key(meaning = "The paper's title.") @Nullable String title,
        @Key(meaning = "Its authors, in the paper's order.") List<String> authors,
        @Key(meaning = "Where it appeared.") @Nullable String venue,

        @Key(min = 0, max = 9999, meaning = "When it appeared.")
        int year,

        @Key(optional = true, meaning = "Its DOI's address, or another lasting one.") @Nullable
        String link) {

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

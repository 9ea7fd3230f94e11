package org.reprobe.analysis.claims;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/**
 * Source of the claims in a file. The title is null for a collection of several sources, each named by its claims; the
 * year is 0 and the link null if unknown.
 */
@Section(
        alone = "name",
        meaning = "Source of the claims; only a name for a collection of several sources, which its claims name.")
public record Paper(
        @Key(meaning = "The file's name, as in ids and in reproduces.")
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

    /** Returns authors, title, venue, year and link in one line; the name alone without a title. */
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

package org.reprobe.scenario;

import org.jspecify.annotations.Nullable;

/** Text of a resolved scenario, written when it is first needed. Equal to others with the same text. */
public final class ResolvedYaml {
    private final @Nullable ScenarioFile file;
    private @Nullable String text;

    private ResolvedYaml(@Nullable ScenarioFile file, @Nullable String text) {
        this.file = file;
        this.text = text;
    }

    static ResolvedYaml of(ScenarioFile file) {
        return new ResolvedYaml(file, null);
    }

    public static ResolvedYaml stored(String text) {
        return new ResolvedYaml(null, text);
    }

    synchronized String text() {
        if (text == null && file != null) {
            text = ScenarioKeys.text(file);
        }
        return String.valueOf(text);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResolvedYaml yaml && text().equals(yaml.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}

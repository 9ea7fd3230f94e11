package org.reprobe.analysis.document;

import java.util.Locale;

/** Word of an enum constant in files and messages: {@code form-chosen} for {@code FORM_CHOSEN}. */
public final class EnumWord {
    private EnumWord() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

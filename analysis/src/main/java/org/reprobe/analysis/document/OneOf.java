package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Sealed type of records, exactly one of which is in a file. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OneOf {
    By value();

    String meaning();

    /** Record of a mapping without any of the keys, with {@link By#KEY}. */
    Class<?> otherwise() default void.class;

    enum By {
        /** A mapping of one key, the record's {@link Section#name}, to the record. */
        KEY,
        /** The record's mapping has the key {@link Section#name}; a mapping without any is the last record. */
        MEMBER,
        /** One record is a mapping or a word; the other, marked by {@link Section#alone}, any other value. */
        SHAPE
    }
}

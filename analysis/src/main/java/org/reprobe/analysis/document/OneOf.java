package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A sealed type of records, one of which stands in a file. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OneOf {
    /** How a file says which. */
    By value();

    /** One sentence. */
    String meaning();

    /** The record that a mapping without any of the keys is, with {@link By#KEY}. */
    Class<?> otherwise() default void.class;

    /** How records are told apart. */
    enum By {
        /** A mapping of one key, the record's {@link Section#name}, to the record. */
        KEY,
        /** The record's mapping has the key {@link Section#name}; without any it is the last one. */
        MEMBER,
        /** One is a mapping, or a word; the other, whose {@link Section#alone} says so, any other value. */
        SHAPE
    }
}

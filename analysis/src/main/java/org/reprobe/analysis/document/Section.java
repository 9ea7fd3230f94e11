package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A record whose components are the keys of a file, or of a mapping in one. See {@link KeyedRecord} and {@link Binder}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Section {
    /**
     * The section's name; empty for keys that stand at the top of the file. Of a record that is one of several ({@link OneOf}): the
     * key that tells it from the others.
     */
    String name() default "";

    /** One sentence. */
    String meaning();

    /** The key that a value which is no mapping stands for; empty for none. */
    String alone() default "";

    /** Whether exactly one of the keys must be there. */
    boolean exactlyOne() default false;

    /** Whether keys that the record does not have are passed over: in files that programs write, newer ones among them. */
    boolean open() default false;

    /**
     * A record that is said of each value: in the file each key has a mapping of {@code value} and that record's keys. Only the
     * value is bound.
     */
    Class<? extends Record> beside() default Record.class;
}

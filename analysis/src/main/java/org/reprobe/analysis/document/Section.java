package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Record whose components are keys of a file, or of a mapping in one; see {@link KeyedRecord}, {@link Binder}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Section {
    /** Name of the section, empty at the top of the file; or the key that distinguishes a record ({@link OneOf}). */
    String name() default "";

    String meaning();

    /** Key that a value other than a mapping stands for; empty for none. */
    String alone() default "";

    /** True if exactly one of the keys is required. */
    boolean exactlyOne() default false;

    /** True if unknown keys are ignored: in files that programs, possibly newer ones, write. */
    boolean open() default false;

    /** Record of attributes of each value, in the file beside its {@code value}. Only the value is bound. */
    Class<? extends Record> beside() default Record.class;
}

package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A record whose components are the keys of one section of a file. See {@link KeyedRecord}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Section {
    /** The section's name; empty for keys that stand at the top of the file. */
    String name();

    /** One sentence. */
    String meaning();
}

package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A key of a file, on the record component that its value is bound to. The key's name is the component's, in kebab case. Schema,
 * reference and messages are made from this.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /** What it means: one sentence or two, units included. */
    String meaning();

    /** The value where the file has none, as the file would have it. */
    String byDefault();

    /** Smallest number. */
    double min() default Double.NEGATIVE_INFINITY;

    /** Largest number. */
    double max() default Double.POSITIVE_INFINITY;

    /** Numbers must be larger than this. */
    double above() default Double.NEGATIVE_INFINITY;

    /** Numbers must be smaller than this. */
    double below() default Double.POSITIVE_INFINITY;

    /** A word that may stand for a number; it binds to 0, to an empty optional where the component is one. */
    String or() default "";

    /** The words that a text may be; none for any. */
    String[] words() default {};

    /** The regular expression that a text must match. */
    String pattern() default "";

    /** What may stand there, in words, where bounds and type do not say it. */
    String allowed() default "";

    /** Fabrics on which the value has an effect; none for all. */
    String[] fabrics() default {};

    /** Whether published numbers presume the value; false for what only makes a run longer, larger or repeatable. */
    boolean identifies() default true;
}

package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;

/**
 * Key of a file, on the record component that its value is bound to. The key's name is the component's, in kebab case.
 * Schema, reference and messages are generated from it. A key without a default is required unless it is
 * {@link #optional} or its component is an optional number.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /** Meaning in one or two sentences, including units. */
    String meaning();

    /** Full name in earlier versions, for the message that refuses it. */
    String formerly() default "";

    String NONE = "\0";

    /**
     * Value if the file has none, in the file's notation. For a component that is a record: <code>{}</code> for the
     * defaults of its own keys, {@code none} for its constant {@code NONE}.
     */
    String byDefault() default NONE;

    /** True if a key without default may be absent; its component is then null, or an empty optional. */
    boolean optional() default false;

    double min() default Double.NEGATIVE_INFINITY;

    double max() default Double.POSITIVE_INFINITY;

    /** Exclusive lower bound. */
    double above() default Double.NEGATIVE_INFINITY;

    /** Exclusive upper bound. */
    double below() default Double.POSITIVE_INFINITY;

    /** Word permitted instead of a number or a record: binds to 0, an empty optional, or a record of defaults. */
    String or() default "";

    /** True if one value may stand for a list of one. */
    boolean orOne() default false;

    /** True if no value of a list may occur twice. */
    boolean unique() default false;

    /** True if the keys of the component's own type are placed beside the others, not in a mapping of their own. */
    boolean unwrapped() default false;

    /** Permitted texts; none for any. */
    String[] words() default {};

    String pattern() default "";

    /** True if a mapping has full names of {@link Binder#of(Class, Map, List) section keys}, with their values. */
    boolean fullNames() default false;

    /** True if entries of a mapping by text are keys {@code KEY.ENTRY}, to be swept although no record has them. */
    boolean family() default false;

    /** YAML for the reference: the value of a key without a default, else the key with another value. */
    String example() default "";

    /** Permitted values in words, if bounds and type do not determine them. */
    String allowed() default "";

    /** Fabrics on which the value has an effect; none for all. */
    String[] fabrics() default {};

    /** True if published numbers presume the value; false if it only makes a run longer, larger or repeatable. */
    boolean identifies() default true;
}

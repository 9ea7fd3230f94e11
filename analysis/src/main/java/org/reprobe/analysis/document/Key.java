package org.reprobe.analysis.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;

/**
 * A key of a file, on the record component that its value is bound to. The key's name is the component's, in kebab case. Schema,
 * reference and messages are made from this. A key without a default must be there, unless it is {@link #optional} or its
 * component is an optional number.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /** What it means: one sentence or two, units included. */
    String meaning();

    /** The key's full name in earlier versions, for the message that refuses it. */
    String formerly() default "";

    /** No default. */
    String NONE = "\0";

    /**
     * The value where the file has none, as the file would have it. Of a component that is a record: <code>{}</code> for the
     * defaults of its own keys, {@code none} for its constant {@code NONE}.
     */
    String byDefault() default NONE;

    /** Whether the file may leave a key without default out; its component is then null, or an empty optional. */
    boolean optional() default false;

    /** Smallest number. */
    double min() default Double.NEGATIVE_INFINITY;

    /** Largest number. */
    double max() default Double.POSITIVE_INFINITY;

    /** Numbers must be larger than this. */
    double above() default Double.NEGATIVE_INFINITY;

    /** Numbers must be smaller than this. */
    double below() default Double.POSITIVE_INFINITY;

    /**
     * A word that may stand for a number or a record; it binds to 0, to an empty optional where the component is one, and to a
     * record whose keys all have their defaults.
     */
    String or() default "";

    /** Whether one value may stand for a list of one. */
    boolean orOne() default false;

    /** Whether no value of a list may come twice. */
    boolean unique() default false;

    /** Whether the keys of the component's own type stand among those beside it, not in a mapping of their own. */
    boolean unwrapped() default false;

    /** The words that a text may be; none for any. */
    String[] words() default {};

    /** The regular expression that a text must match. */
    String pattern() default "";

    /**
     * Whether a mapping's names are full names of the file's {@link Binder#of(Class, Map, List) section keys}, and its values
     * those keys'.
     */
    boolean fullNames() default false;

    /**
     * Whether the entries of a mapping by text are keys of their own, whose full names are this one's and theirs, with a dot between: such
     * a key can be swept although no record has it.
     */
    boolean family() default false;

    /**
     * YAML for the reference: the value of a key without a default; otherwise the key with a value, shown beside the default.
     */
    String example() default "";

    /** What may stand there, in words, where bounds and type do not say it. */
    String allowed() default "";

    /** Fabrics on which the value has an effect; none for all. */
    String[] fabrics() default {};

    /** Whether published numbers presume the value; false for what only makes a run longer, larger or repeatable. */
    boolean identifies() default true;
}

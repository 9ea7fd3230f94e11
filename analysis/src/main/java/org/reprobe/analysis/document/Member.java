package org.reprobe.analysis.document;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.reprobe.analysis.document.OneOf.By;

/** Key of a record, with its name in the file and its component's type. */
record Member(String name, Key key, Type type) {
    private static final Set<Class<?>> WHOLE = Set.of(int.class, long.class, OptionalInt.class, OptionalLong.class);
    private static final Set<Class<?>> REAL = Set.of(double.class, Double.class, OptionalDouble.class);
    private static final Set<Class<?>> OPTIONAL = Set.of(OptionalInt.class, OptionalLong.class, OptionalDouble.class);

    private static final ClassValue<List<Member>> OF = new ClassValue<>() {
        @Override
        protected List<Member> computeValue(Class<?> record) {
            return List.copyOf(read(record));
        }
    };

    /** Returns the keys of a record, in its order; components without {@link Key} are not in the file. */
    static List<Member> of(Class<?> record) {
        return OF.get(record);
    }

    private static List<Member> read(Class<?> record) {
        List<Member> members = new ArrayList<>();
        for (RecordComponent component : record.getRecordComponents()) {
            Key key = component.getAnnotation(Key.class);
            if (key != null) {
                members.add(new Member(KeyedRecord.kebab(component.getName()), key, component.getGenericType()));
            }
        }
        return members;
    }

    static Section section(Class<?> record) {
        return Objects.requireNonNull(record.getAnnotation(Section.class), "no section: " + record);
    }

    static OneOf oneOf(Class<?> type) {
        return Objects.requireNonNull(type.getAnnotation(OneOf.class), "no OneOf: " + type);
    }

    /** Returns the records that a sealed type permits, including those of nested sealed types. */
    static List<Class<?>> permitted(Class<?> type) {
        List<Class<?>> records = new ArrayList<>();
        for (Class<?> permitted : type.getPermittedSubclasses()) {
            if (permitted.isRecord()) {
                records.add(permitted);
            } else {
                records.addAll(permitted(permitted));
            }
        }
        return records;
    }

    /** Returns the keys that distinguish the permitted records of a sealed type. */
    static List<String> names(Class<?> type) {
        return permitted(type).stream().map(record -> section(record).name()).toList();
    }

    /** Returns the names that are no keys of a record. */
    static List<String> allBut(Class<?> record, Collection<String> names) {
        List<String> others = new ArrayList<>(names);
        of(record).stream().filter(member -> !member.key.unwrapped()).forEach(member -> others.remove(member.name));
        return others;
    }

    /** Returns the keys placed beside the others for an {@link Key#unwrapped} one. */
    List<String> unwrappedNames() {
        return raw().isSealed()
                ? names(raw())
                : of(raw()).stream().map(Member::name).toList();
    }

    boolean isRequired() {
        return !hasDefault() && !key.optional() && !OPTIONAL.contains(raw()) && !key.unwrapped();
    }

    boolean hasDefault() {
        return !key.byDefault().equals(Key.NONE);
    }

    Class<?> raw() {
        return raw(type);
    }

    static Class<?> raw(Type type) {
        return type instanceof ParameterizedType generic ? raw(generic.getRawType()) : (Class<?>) type;
    }

    /** Returns the element type of a list, or the value type of a map. */
    static Type element(Type type) {
        Type[] arguments = ((ParameterizedType) type).getActualTypeArguments();
        return arguments[arguments.length - 1];
    }

    static boolean isWhole(Class<?> type) {
        return WHOLE.contains(type);
    }

    static boolean isReal(Class<?> type) {
        return REAL.contains(type);
    }

    static boolean isBy(Class<?> type, By by) {
        return type.isSealed() && oneOf(type).value() == by;
    }
}

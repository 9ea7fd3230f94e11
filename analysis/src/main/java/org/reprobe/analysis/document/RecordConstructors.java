package org.reprobe.analysis.document;

import java.lang.reflect.Constructor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.ValueInstantiators;
import tools.jackson.databind.deser.std.StdValueInstantiator;

/**
 * Records' constructors, called by reflection. Jackson calls them by method handles, for which the JVM generates about
 * ten classes per record when it is first read: 500 in a short command. No cache of classes contains them.
 */
final class RecordConstructors extends ValueInstantiators.Base {
    @Override
    public ValueInstantiator modifyValueInstantiator(
            DeserializationConfig config, BeanDescription.Supplier record, ValueInstantiator byHandles) {
        return record.getBeanClass().isRecord() && byHandles instanceof StdValueInstantiator standard
                ? new Reflective(standard)
                : byHandles;
    }

    private static final class Reflective extends StdValueInstantiator {
        Reflective(StdValueInstantiator standard) {
            super(standard);
        }

        @Override
        public @Nullable Object createFromObjectWith(DeserializationContext context, @Nullable Object[] values) {
            if (!(_withArgsCreator.getAnnotated() instanceof Constructor<?> constructor)) {
                return super.createFromObjectWith(context, values);
            }
            try {
                return constructor.newInstance(values);
            } catch (ReflectiveOperationException | IllegalArgumentException e) {
                return context.handleInstantiationProblem(_valueClass, values, rewrapCtorProblem(context, e));
            }
        }
    }
}

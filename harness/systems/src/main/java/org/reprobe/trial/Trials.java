package org.reprobe.trial;

import java.util.function.Function;
import org.reprobe.explore.Trial;

/** Makes trials of configurations. Public since {@link ProtocolLoader} loads it. */
public final class Trials implements Function<String, Trial> {

    @Override
    public Trial apply(String configuration) {
        Configuration found = Configuration.of(configuration);
        if (found == null) {
            throw new IllegalArgumentException(configuration + " is no configuration");
        }
        return of(found);
    }

    static Trial of(Configuration configuration) {
        return switch (configuration.kind()) {
            case NESSIE, NESSIE_SERVER, NESSIE_RESIZE, NESSIE_FEW_ITEMS, NESSIE_DIES, RHTM, RHTM_DIES ->
                NessieTrial.of(configuration);
            case PILAF, PILAF_FEW_ITEMS ->
                new PilafTrial(
                        configuration.slots(),
                        configuration.keys().size() + (configuration.kind() == Configuration.Kind.PILAF ? 1 : 0),
                        configuration.keys().stream()
                                .map(key -> key.places().stream()
                                        .mapToInt(Integer::intValue)
                                        .toArray())
                                .toArray(int[][]::new),
                        configuration.loaded(),
                        Script.of(configuration.script()));
            case FIND_OR_PUT, FIND_OR_PUT_LOCAL, FIND_OR_PUT_CARD, FIND_OR_PUT_DIES -> FindOrPutTrial.of(configuration);
        };
    }
}

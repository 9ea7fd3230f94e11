package org.reprobe.scenario;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.system.Settings;

/** Settings that no file has. */
public final class CellSettings {
    private CellSettings() {}

    /**
     * Settings of a cell.
     *
     * @param values by dotted key; the other keys have their defaults
     * @throws IllegalArgumentException for a key that is none
     */
    public static Settings of(Map<String, ?> values) {
        Map<String, CellValues.Value> base = new LinkedHashMap<>();
        ScenarioKeys.scalars().forEach(key -> base.put(key.name(), new CellValues.Value(key.byDefault(), "")));
        CellValues cell = CellValues.of(base);
        values.forEach((key, value) -> {
            if (ScenarioKeys.scalar(key) == null) {
                throw new IllegalArgumentException("there is no key " + key);
            }
            cell.set(key, CellValues.node(value), "");
        });
        return cell.settings(new HashMap<>());
    }
}

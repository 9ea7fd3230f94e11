package org.reprobe.scenario;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.system.Settings;

public final class CellSettings {
    private CellSettings() {}

    /** Returns settings by dotted key, else defaults; throws {@link IllegalArgumentException} for an unknown key. */
    public static Settings of(Map<String, ?> values) {
        Map<String, CellValues.Value> base = new LinkedHashMap<>();
        ScenarioKeys.scalars().forEach(key -> base.put(key.name(), new CellValues.Value(key.byDefault(), "")));
        CellValues cell = CellValues.of(base);
        values.forEach((key, value) -> {
            if (ScenarioKeys.scalar(key) == null) {
                throw new IllegalArgumentException("unknown key " + key);
            }
            cell.set(key, CellValues.node(value), "");
        });
        return cell.settings(new HashMap<>());
    }
}

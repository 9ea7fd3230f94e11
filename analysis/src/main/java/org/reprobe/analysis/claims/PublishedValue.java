package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Published value of one metric in one cell, in the metric's own unit, drawn beside the reproduced value. */
public record PublishedValue(String claim, String scenario, Map<String, Object> cell, String metric, double value) {

    public PublishedValue {
        cell = Map.copyOf(cell);
    }

    /** Returns the plain values among claims, one per named cell; not relations, ratios and claims on any cells. */
    public static List<PublishedValue> of(List<Claim> claims) {
        List<PublishedValue> values = new ArrayList<>();
        for (Claim claim : claims) {
            if (claim.relation() == Relation.EQUALS
                    && claim.take() == Claim.Take.EACH
                    && claim.quantity() instanceof Quantity.Metric metric
                    && !metric.complement()
                    && claim.over().values().stream().allMatch(CellCondition.Listed.class::isInstance)) {
                List<Map<String, Object>> cells = List.of(metric.cell());
                for (Map.Entry<String, CellCondition> axis : claim.over().entrySet()) {
                    List<Map<String, Object>> product = new ArrayList<>();
                    for (Map<String, Object> cell : cells) {
                        for (Object value : ((CellCondition.Listed) axis.getValue()).values()) {
                            Map<String, Object> bound = new LinkedHashMap<>(cell);
                            bound.putIfAbsent(axis.getKey(), value);
                            product.add(bound);
                        }
                    }
                    cells = product;
                }
                for (Map<String, Object> cell : cells) {
                    values.add(new PublishedValue(
                            claim.id(), metric.scenario(), cell, metric.metric(), claim.published() / metric.scale()));
                }
            }
        }
        return List.copyOf(values);
    }
}

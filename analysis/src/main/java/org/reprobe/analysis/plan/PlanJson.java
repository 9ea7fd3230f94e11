package org.reprobe.analysis.plan;

import java.time.LocalDate;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Plan as JSON: all numbers of the table and the page, with units at the end of each name. */
public final class PlanJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private PlanJson() {}

    /** Predicted and simulated numbers of a configuration; percentiles are the 99th, peak is that of one server. */
    public record Verified(
            String label,
            double predictedPerSecond,
            double simulatedPerSecond,
            double predictedIdleNs,
            double simulatedIdleNs,
            double predictedPeakNs,
            double simulatedPeakNs) {}

    /** Returns the date at which growth exhausts the headroom, or {@code never} without growth or within a century. */
    public static String fullBy(PlanOption option, LocalDate today) {
        double years = option.yearsLeft();
        return years > 100
                ? "never"
                : today.plusDays(Math.round(years * 365.25)).toString();
    }

    public static String of(
            PlanInput input, Planner.Result result, Advice advice, List<Verified> verified, LocalDate today) {
        ObjectNode root = JSON.objectNode();
        root.put("kind", "predicted");
        root.put("configurations_tried", result.tried());
        ArrayNode options = root.putArray("options");
        for (PlanOption option : result.options()) {
            ObjectNode node = options.addObject();
            node.put("nic", option.nic().name());
            node.put("scheme", option.shape().scheme().key());
            node.put("load_factor", option.shape().loadFactor());
            node.put("storage", option.shape().inline() ? "inline" : "heap");
            node.put("read_bytes", option.shape().readBytes());
            node.put("reads_per_lookup", option.load().demand().reads());
            node.put("servers", option.servers());
            node.put("servers_because", option.because());
            node.put("memory_per_server_bytes", Math.round(option.tableBytes()));
            node.put("memory_overhead_fraction", option.overhead(input));
            node.put("throughput_per_server_ops_per_s", option.perServerPerSecond());
            node.put("throughput_relative_error", option.relativeError());
            latency(node.putObject("latency_idle_ns"), option.idleNs(), input);
            latency(node.putObject("latency_mean_ns"), option.meanNs(), input);
            latency(node.putObject("latency_peak_ns"), option.peakNs(), input);
            latency(node.putObject("latency_servers_down_ns"), option.downNs(), input);
            node.put("binds", option.binding().name());
            node.put("binds_next", option.next().name());
            ArrayNode resources = node.putArray("utilisation");
            for (PlanOption.Resource resource : option.resources()) {
                resources
                        .addObject()
                        .put("resource", resource.name())
                        .put("mean_fraction", resource.mean())
                        .put("peak_fraction", resource.peak())
                        .put("servers_down_fraction", resource.down());
            }
            node.put("headroom_factor", option.headroom());
            node.put("full_by", fullBy(option, today));
            option.cost().ifPresent(cost -> node.put("cost", cost));
        }
        texts(root.putArray("why"), advice.why());
        ArrayNode changes = root.putArray("changes");
        for (Advice.Change change : advice.changes()) {
            changes.addObject()
                    .put("with", change.what())
                    .put("best", change.best())
                    .put("servers", change.servers())
                    .put("differs", change.differs());
        }
        texts(root.putArray("assumptions"), advice.assumptions());
        texts(root.putArray("warnings"), advice.warnings());
        ArrayNode checks = root.putArray("verified");
        for (Verified each : verified) {
            checks.addObject()
                    .put("configuration", each.label())
                    .put("predicted_ops_per_s", each.predictedPerSecond())
                    .put("simulated_ops_per_s", each.simulatedPerSecond())
                    .put("predicted_idle_p99_ns", each.predictedIdleNs())
                    .put("simulated_idle_p99_ns", each.simulatedIdleNs())
                    .put("predicted_peak_p99_ns", each.predictedPeakNs())
                    .put("simulated_peak_p99_ns", each.simulatedPeakNs());
        }
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    private static void latency(ObjectNode node, double[] ns, PlanInput input) {
        String percentile = "p" + input.percentileWords().replace(".", "");
        if (Double.isFinite(ns[0])) {
            node.put("p50", ns[0]);
            node.put(percentile, ns[1]);
        }
    }

    private static void texts(ArrayNode array, List<String> texts) {
        texts.forEach(array::add);
    }
}

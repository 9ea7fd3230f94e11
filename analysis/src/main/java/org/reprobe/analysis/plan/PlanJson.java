package org.reprobe.analysis.plan;

import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
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
            PlanInput input, CardAnswer.All answers, Advice advice, List<Verified> verified, LocalDate today) {
        Planner.Result result = answers.result();
        ObjectNode root = JSON.objectNode();
        root.put("kind", "predicted");
        root.put("configurations_tried", result.tried());
        root.put("decided", answers.isSure(input));
        clients(root.putObject("clients"), input);
        ArrayNode cards = root.putArray("cards");
        answers.cards().forEach(card -> card(cards.addObject(), card, input));
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

    private static void clients(ObjectNode node, PlanInput input) {
        node.put("machines", input.file().clientMachines());
        node.put("threads_per_machine", input.file().clientThreads());
        node.put("send_queue", input.file().sendQueue());
        node.put("outstanding_reads", input.file().outstandingReads());
        ArrayNode defaults = node.putArray("by_default");
        input.defaults().stream()
                .filter(key -> List.of("client-machines", "client-threads", "send-queue", "outstanding-reads")
                        .contains(key))
                .sorted()
                .forEach(defaults::add);
    }

    private static void card(ObjectNode node, CardAnswer card, PlanInput input) {
        node.put("nic", card.nic().name());
        node.put("verdict", card.verdict().name().toLowerCase(Locale.ROOT));
        node.put("verdict_words", card.words());
        Planner.Nearest shortfall = card.shortfall();
        if (shortfall != null) {
            node.put("shortfall", shortfall.words());
        }
        Evidence evidence = card.evidence();
        if (evidence != null) {
            node.put("measured", evidence.isMeasured());
            node.put("throughput_known_fraction", evidence.rateKnown());
            node.put("latency_known_fraction", evidence.latencyKnown());
            texts(node.putArray("assumed"), evidence.assumed());
        }
        PlanOption option = card.option();
        Prediction prediction = card.prediction();
        if (option == null || prediction == null) {
            return;
        }
        Simulated simulated = card.simulated();
        node.put("kind", simulated == null ? "predicted" : "simulated");
        node.put("scheme", option.shape().scheme().key());
        node.put("load_factor", option.shape().loadFactor());
        node.put("servers", option.servers());
        ArrayNode servers = node.putArray("servers_interval");
        servers.add(prediction.fewestServers());
        if (prediction.mostServers() < Integer.MAX_VALUE) {
            servers.add(prediction.mostServers());
        } else {
            servers.addNull(); // no number of servers keeps the limits
        }
        node.put("servers_suffice_fraction", prediction.keeps());
        node.put("feasible_fraction", prediction.feasible());
        node.put("throughput_per_server_ops_per_s", card.perServerPerSecond());
        interval(node, "throughput_per_server_interval_ops_per_s", prediction.perServerPerSecond());
        node.put("latency_servers_down_p50_ns", card.medianNs());
        interval(node, "latency_servers_down_p50_interval_ns", prediction.medianNs());
        String percentile = percentile(input);
        node.put("latency_servers_down_" + percentile + "_ns", card.percentileNs());
        interval(node, "latency_servers_down_" + percentile + "_interval_ns", prediction.percentileNs());
        ArrayNode influences = node.putArray("constants");
        for (Influence influence : card.influences()) {
            ObjectNode each = influences.addObject();
            each.put("constant", influence.constant());
            each.put("basis", influence.basis().name().toLowerCase(Locale.ROOT));
            each.put("value", influence.range().value());
            interval(
                    each,
                    "interval",
                    new Interval(influence.range().low(), influence.range().high()));
            ArrayNode needed = each.putArray("servers_at_ends");
            for (int at : new int[] {influence.serversLow(), influence.serversHigh()}) {
                if (at < Integer.MAX_VALUE) {
                    needed.add(at);
                } else {
                    needed.addNull();
                }
            }
            interval(each, "throughput_per_server_at_ends_ops_per_s", influence.perServerPerSecond());
            interval(each, "latency_servers_down_" + percentile + "_at_ends_ns", influence.latencyNs());
            if (influence.recipe() != null) {
                each.put("identified_by", influence.recipe().command());
            }
        }
    }

    private static void interval(ObjectNode node, String key, Interval interval) {
        ArrayNode ends = node.putArray(key);
        for (double end : new double[] {interval.low(), interval.high()}) {
            if (Double.isFinite(end)) {
                ends.add(end);
            } else {
                ends.addNull();
            }
        }
    }

    private static String percentile(PlanInput input) {
        return "p" + input.percentileWords().replace(".", "");
    }

    private static void latency(ObjectNode node, double[] ns, PlanInput input) {
        String percentile = percentile(input);
        if (Double.isFinite(ns[0])) {
            node.put("p50", ns[0]);
            node.put(percentile, ns[1]);
        }
    }

    private static void texts(ArrayNode array, List<String> texts) {
        texts.forEach(array::add);
    }
}

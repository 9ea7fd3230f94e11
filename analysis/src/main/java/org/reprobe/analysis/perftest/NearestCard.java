package org.reprobe.analysis.perftest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.analysis.perftest.Device.Fact;

/** Shipped profile of the card that is nearest to a measured one, with the reason. */
public record NearestCard(String profile, String reason) {
    private static final Pattern PART = Pattern.compile("(?:MT)?(\\d{4,5})\\b");
    private static final Pattern SERIES = Pattern.compile("(ConnectX-\\d|BlueField-\\d)");
    private static final Map<Integer, String> SERIES_OF_PART = parts();

    private static Map<Integer, String> parts() {
        Map<Integer, String> parts = new LinkedHashMap<>();
        List.of(4099, 4100, 4103, 4104).forEach(part -> parts.put(part, "ConnectX-3"));
        List.of(4115, 4116, 4117, 4118).forEach(part -> parts.put(part, "ConnectX-4"));
        List.of(4119, 4120, 4121, 4122).forEach(part -> parts.put(part, "ConnectX-5"));
        List.of(4123, 4124, 4125, 4126, 4127).forEach(part -> parts.put(part, "ConnectX-6"));
        List.of(4129, 4130).forEach(part -> parts.put(part, "ConnectX-7"));
        parts.put(41682, "BlueField-1");
        parts.put(41686, "BlueField-2");
        parts.put(41692, "BlueField-3");
        return Map.copyOf(parts);
    }

    /** Chooses by the card's name, else by the speed of its link, else by the largest measured bandwidth. */
    public static NearestCard of(CardOutputs outputs) {
        CardPort port = new CardPort(outputs);
        double gb = port.rateGb().map(CardPort.Known::value).orElse(0.0);
        for (Fact name : port.names()) {
            Optional<String> series = series(name.value());
            if (series.isPresent()) {
                return new NearestCard(bySeries(series.get()), name.origin() + " " + name.value());
            }
        }
        if (gb > 0) {
            return new NearestCard(byRate(gb), "a link of " + gb + " Gb/s");
        }
        double most = outputs.runs().stream()
                .filter(run -> !run.settings().bidirectional())
                .flatMap(run -> run.rates().stream())
                .filter(rate -> rate.bytes() >= CardIdentification.LARGE_BYTES)
                .mapToDouble(PerftestRun.Rate::bytesPerSecond)
                .max()
                .orElse(0);
        return most == 0
                ? new NearestCard(byRate(100), "the outputs do not name the card")
                : new NearestCard(byRate(8e-9 * most), "the largest measured bandwidth");
    }

    private static Optional<String> series(String name) {
        Matcher series = SERIES.matcher(name);
        if (series.find()) {
            return Optional.of(series.group(1));
        }
        Matcher part = PART.matcher(name);
        return part.lookingAt()
                ? Optional.ofNullable(SERIES_OF_PART.get(Integer.valueOf(part.group(1))))
                : Optional.empty();
    }

    private static String bySeries(String series) {
        return switch (series) {
            case "ConnectX-3" -> "connectx3";
            case "ConnectX-4" -> "connectx4";
            case "ConnectX-5", "BlueField-1" -> "connectx5";
            case "ConnectX-6", "BlueField-2" -> "connectx6-200g";
            case "BlueField-3" -> "bluefield3";
            default -> "connectx7";
        };
    }

    private static String byRate(double gb) {
        return gb <= 60 ? "connectx3" : gb <= 100 ? "connectx5" : gb <= 200 ? "connectx6-200g" : "connectx7";
    }
}

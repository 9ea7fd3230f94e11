package org.reprobe.analysis.perftest;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Output about one card by {@code ibv_devinfo}, {@code ibstat} or {@code lspci}, with the program's names of values.
 */
public record Device(Program program, String name, Map<String, Fact> facts, Origin origin) {
    public Device {
        facts = Map.copyOf(facts);
    }

    public enum Program {
        IBV_DEVINFO("ibv_devinfo"),
        IBSTAT("ibstat"),
        LSPCI("lspci");

        private final String command;

        Program(String command) {
            this.command = command;
        }

        public String command() {
            return command;
        }
    }

    /** Value as printed. */
    public record Fact(String value, Origin origin) {

        /** Returns the number at the start of the value; null if it does not start with one. */
        @Nullable
        Double number() {
            String word = value.replaceFirst("[^0-9a-fA-Fx.].*$", "");
            try {
                return word.startsWith("0x") ? Long.decode(word).doubleValue() : Double.parseDouble(word);
            } catch (NumberFormatException e) {
                return null;
            }
        }
    }
}

package org.reprobe.doctor;

import java.util.Iterator;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;

/** Processor numbers in the notation of Linux and {@code taskset}, like {@code 0-3,8}. */
final class ProcessorList {
    private ProcessorList() {}

    /** Returns the numbers in order, ignoring everything that is not a number. */
    static Set<Integer> parse(String list) {
        Set<Integer> all = new TreeSet<>();
        for (String part : list.split(",", -1)) {
            String[] ends = part.strip().split("-", -1);
            if (ends[0].matches("\\d{1,6}") && ends[ends.length - 1].matches("\\d{1,6}")) {
                int last = Integer.parseInt(ends[ends.length - 1]);
                for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
                    all.add(i);
                }
            }
        }
        return all;
    }

    static String words(Set<Integer> processors) {
        StringJoiner list = new StringJoiner(",");
        Iterator<Integer> each = processors.iterator();
        Integer next = each.hasNext() ? each.next() : null;
        while (next != null) {
            int first = next;
            int last = first;
            next = each.hasNext() ? each.next() : null;
            while (next != null && next == last + 1) {
                last = next;
                next = each.hasNext() ? each.next() : null;
            }
            list.add(first == last ? "" + first : first + "-" + last);
        }
        return list.toString();
    }
}

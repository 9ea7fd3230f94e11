package org.reprobe.farm.recovery;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.farm.memory.RegionCopies;

/**
 * Membership configuration (FaRM 2015, "No compromises", section 3), numbered from 1, with one bit per member. The 2014
 * paper has none. It determines the primary of each region, the first member of the machines with a copy, and the lease
 * manager, the first member.
 */
public record Configuration(long number, int members) {
    public static final int MAX_MACHINES = Integer.SIZE;

    public static final long FIRST = 1;

    /** Returns the first configuration, which has all machines as members. */
    public static Configuration first(int machines) {
        return new Configuration(FIRST, machines == MAX_MACHINES ? -1 : (1 << machines) - 1);
    }

    /** Returns the configuration of a restarted machine before it joins: no message belongs to it. */
    static Configuration outside(int machines) {
        return first(machines).numbered(0);
    }

    boolean isOutside() {
        return number == 0;
    }

    /** Returns the configuration as one word, which a store can replace atomically. */
    public long word() {
        return number << Integer.SIZE | Integer.toUnsignedLong(members);
    }

    public static Configuration of(long word) {
        return new Configuration(word >>> Integer.SIZE, (int) word);
    }

    public boolean has(int machine) {
        return (members >>> machine & 1) != 0;
    }

    public int manager() {
        return Integer.numberOfTrailingZeros(members);
    }

    int rank(int machine) {
        return Integer.bitCount(members & (1 << machine) - 1);
    }

    public List<Integer> all() {
        List<Integer> all = new ArrayList<>();
        for (int rest = members; rest != 0; rest &= rest - 1) {
            all.add(Integer.numberOfTrailingZeros(rest));
        }
        return all;
    }

    public Configuration without(int machine) {
        return new Configuration(number + 1, members & ~(1 << machine));
    }

    public Configuration with(int machine) {
        return new Configuration(number + 1, members | 1 << machine);
    }

    Configuration numbered(long other) {
        return new Configuration(other, members);
    }

    public boolean keeps(RegionCopies all, int regions) {
        for (int region = 0; region < regions; region++) {
            if (copies(all).primary(region) == RegionCopies.NO_MACHINE) {
                return false;
            }
        }
        return true;
    }

    /** Returns true if some member can fail without the loss of a region. */
    public boolean mayLoseOne(RegionCopies all, int regions) {
        return all().stream().anyMatch(machine -> without(machine).keeps(all, regions));
    }

    /**
     * Returns the copies of regions that members have, in the order of {@code all}, the copies with all machines; the
     * first is the primary. Any replica can become primary: a transaction commits only after all replicas have logged
     * its PREPARE. Lost copies are not recreated.
     */
    public RegionCopies copies(RegionCopies all) {
        return new RegionCopies() {
            @Override
            public int primary(int region) {
                return member(region, 0);
            }

            @Override
            public int replicas() {
                return all.replicas();
            }

            @Override
            public int replica(int region, int number) {
                return member(region, number + 1);
            }

            private int member(int region, int number) {
                int left = number;
                for (int i = -1; i < all.replicas(); i++) {
                    int machine = i < 0 ? all.primary(region) : all.replica(region, i);
                    if (has(machine) && left-- == 0) {
                        return machine;
                    }
                }
                return NO_MACHINE;
            }
        };
    }
}

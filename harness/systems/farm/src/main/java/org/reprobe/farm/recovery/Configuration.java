package org.reprobe.farm.recovery;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.farm.memory.RegionCopies;

/**
 * Which machines take part (FaRM 2015, "No compromises", section 3: a configuration is a number and its members). The 2014 paper has none. From the members
 * follows all else: each region's primary is the first machine of its copies that is a member, and the manager of leases is the first member.
 *
 * @param number from 1; a later configuration has a higher one
 * @param members a bit for each machine
 */
public record Configuration(long number, int members) {
    /** Machines that there may be at most. */
    public static final int MAX_MACHINES = Integer.SIZE;

    public static final long FIRST = 1;

    /** All machines. */
    public static Configuration first(int machines) {
        return new Configuration(FIRST, machines == MAX_MACHINES ? -1 : (1 << machines) - 1);
    }

    /** It as a word, which a store of configurations can replace at once. */
    public long word() {
        return number << Integer.SIZE | Integer.toUnsignedLong(members);
    }

    public static Configuration of(long word) {
        return new Configuration(word >>> Integer.SIZE, (int) word);
    }

    boolean has(int machine) {
        return (members >>> machine & 1) != 0;
    }

    /** The machine that grants leases. */
    int manager() {
        return Integer.numberOfTrailingZeros(members);
    }

    /** How many members come before a machine. */
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

    /** The same members under a number. */
    Configuration numbered(long other) {
        return new Configuration(other, members);
    }

    /** Whether each of so many regions still has a copy. */
    public boolean keeps(RegionCopies all, int regions) {
        for (int region = 0; region < regions; region++) {
            if (copies(all).primary(region) == RegionCopies.NOBODY) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is a machine without which each region still has a copy. */
    public boolean mayLoseOne(RegionCopies all, int regions) {
        return all().stream().anyMatch(machine -> without(machine).keeps(all, regions));
    }

    /**
     * Which members have copies of a region, of the machines that had some when all took part: the first of them is its primary. All replicas
     * know as much of what may have committed, since nobody commits before all of them have logged the PREPARE; which of them is
     * first makes no difference. Copies that are lost are not made anew.
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
                return NOBODY;
            }
        };
    }
}

package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

class TablePoolTest {
    private static final TableSpec SPEC = spec(1);
    private static final TableSpec OTHER = spec(2);
    private static final UnitMemory NOTHING = new UnitMemory(0, 0, 0);
    private final List<TableSpec> built = new ArrayList<>();

    private static TableSpec spec(long seed) {
        return new TableSpec(
                TableKind.LINEAR,
                Storage.INLINE,
                4096,
                8,
                0.5,
                1,
                1,
                1,
                new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                seed);
    }

    private TableImage make(TableSpec spec, int threads) throws TableRefusedException {
        built.add(spec);
        return TableBuilder.build(spec, threads);
    }

    private static TablePool.Lease lease(TablePool pool, TableSpec spec) {
        return Objects.requireNonNull(pool.tryLease(spec, NOTHING));
    }

    @Test
    void aTableThatTwoRunsShareIsBuiltOnce() throws Exception {
        try (TablePool pool = new TablePool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), this::make)) {
            try (TablePool.Lease first = lease(pool, SPEC)) {
                TableImage image = Objects.requireNonNull(first.image(1));
                try (TablePool.Lease second = lease(pool, SPEC)) {
                    assertThat(second.image(1)).isSameAs(image);
                }
            }
        }
        assertThat(built).containsExactly(SPEC);
    }

    @Test
    void nobodyElseGetsATableWhileItIsBeingBuilt() throws Exception {
        try (TablePool pool = new TablePool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), this::make);
                TablePool.Lease builder = lease(pool, SPEC)) {
            assertThat(pool.tryLease(SPEC, NOTHING)).isNull();
            builder.image(1);
            lease(pool, SPEC).close();
        }
        assertThat(built).hasSize(1);
    }

    @Test
    void aTableStaysBetweenItsRunsAndIsFreedAfterTheLast() throws Exception {
        try (TablePool pool = new TablePool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), this::make)) {
            TablePool.Lease first = lease(pool, SPEC);
            TableImage image = Objects.requireNonNull(first.image(1));
            first.close();
            assertThat(pool.usedBytes()).isEqualTo(image.geometry().tableBytes());
            TablePool.Lease second = lease(pool, SPEC);
            assertThat(second.image(1)).isSameAs(image);
            second.close();
            assertThat(pool.usedBytes()).isZero();
            assertThat(image.table().scope().isAlive()).isFalse();
        }
    }

    @Test
    void aTableThatDoesNotFitWaitsUntilAnotherIsFreed() throws Exception {
        long budget = TableBuilder.neededBytes(SPEC) + 1;
        try (TablePool pool = new TablePool(budget, Long.MAX_VALUE, Map.of(SPEC, 1, OTHER, 1), this::make)) {
            TablePool.Lease first = lease(pool, SPEC);
            first.image(1);
            assertThat(pool.tryLease(OTHER, NOTHING)).isNull();
            first.close();
            lease(pool, OTHER).close();
        }
    }

    @Test
    void aTableThatCannotBeBuiltIsRefusedToAllWhoWantIt() {
        TablePool.Maker refusing = (spec, threads) -> {
            built.add(spec);
            throw new TableRefusedException("stuck at load 0.4");
        };
        try (TablePool pool = new TablePool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), refusing)) {
            for (int i = 0; i < 2; i++) {
                try (TablePool.Lease lease = lease(pool, SPEC)) {
                    assertThatThrownBy(() -> lease.image(1))
                            .isInstanceOf(TableRefusedException.class)
                            .hasMessage("stuck at load 0.4");
                }
            }
        }
        assertThat(built).hasSize(1);
    }

    @Test
    void whatARunHasForItselfCountsAsTablesDo() {
        UnitMemory most = new UnitMemory(0, 60, 10);
        try (TablePool pool = new TablePool(100, 50, Map.of(), this::make)) {
            TablePool.Lease first = Objects.requireNonNull(pool.tryLease(null, most));
            assertThat(pool.usedBytes()).isEqualTo(70);
            assertThat(pool.tryLease(null, most)).isNull();
            assertThat(pool.tryLease(null, new UnitMemory(0, 0, 41)))
                    .as("Java's heap")
                    .isNull();
            first.close();
            assertThat(pool.usedBytes()).isZero();
            Objects.requireNonNull(pool.tryLease(null, most)).close();
        }
    }

    /** Two tables that stay for later runs, and no room beside them for any of these. */
    @Test
    void tablesThatWaitForLaterRunsNeverKeepTheNextFromBeginning() throws Exception {
        long table = TableBuilder.neededBytes(SPEC);
        UnitMemory run = new UnitMemory(table, table, 0);
        try (TablePool pool = new TablePool(2 * table, Long.MAX_VALUE, Map.of(SPEC, 2, OTHER, 2), this::make)) {
            for (TableSpec spec : List.of(SPEC, OTHER, SPEC, OTHER)) {
                try (TablePool.Lease lease = Objects.requireNonNull(pool.tryLease(spec, run))) {
                    assertThat(lease.image(1)).isNotNull();
                }
            }
            assertThat(pool.usedBytes()).isZero();
        }
    }
}

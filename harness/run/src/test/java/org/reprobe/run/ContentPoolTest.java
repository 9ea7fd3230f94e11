package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.reprobe.scheme.TableContent;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;
import org.reprobe.table.Storage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

class ContentPoolTest {
    private static final Content SPEC = spec(1);
    private static final Content OTHER = spec(2);
    private static final UnitMemory NOTHING = new UnitMemory(0, 0, 0);
    private final List<Content> built = new ArrayList<>();

    private static Content spec(long seed) {
        return new TableContent(new TableSpec(
                TableKind.LINEAR,
                Storage.INLINE,
                4096,
                8,
                0.5,
                1,
                1,
                1,
                new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                seed));
    }

    private BuiltContent make(Content content, int threads) throws RefusedException {
        built.add(content);
        return content.build(Content.Builder.anew(threads));
    }

    private static ContentPool.Lease lease(ContentPool pool, Content spec) {
        return Objects.requireNonNull(pool.tryLease(spec, NOTHING));
    }

    @Test
    void aTableThatTwoRunsShareIsBuiltOnce() throws Exception {
        try (ContentPool pool = new ContentPool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), this::make)) {
            try (ContentPool.Lease first = lease(pool, SPEC)) {
                BuiltContent content = Objects.requireNonNull(first.content(1));
                try (ContentPool.Lease second = lease(pool, SPEC)) {
                    assertThat(second.content(1)).isSameAs(content);
                }
            }
        }
        assertThat(built).containsExactly(SPEC);
    }

    @Test
    void aTableIsNotSharedWhileItIsBuilt() throws Exception {
        try (ContentPool pool = new ContentPool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), this::make);
                ContentPool.Lease builder = lease(pool, SPEC)) {
            assertThat(pool.tryLease(SPEC, NOTHING)).isNull();
            builder.content(1);
            lease(pool, SPEC).close();
        }
        assertThat(built).hasSize(1);
    }

    @Test
    void aTableStaysBetweenItsRunsAndIsFreedAfterTheLast() throws Exception {
        try (ContentPool pool = new ContentPool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), this::make)) {
            ContentPool.Lease first = lease(pool, SPEC);
            BuiltContent content = Objects.requireNonNull(first.content(1));
            first.close();
            assertThat(pool.usedBytes()).isEqualTo(SPEC.bytes());
            ContentPool.Lease second = lease(pool, SPEC);
            assertThat(second.content(1)).isSameAs(content);
            second.close();
            assertThat(pool.usedBytes()).isZero();
            assertThat(content.parts().getFirst().scope().isAlive()).isFalse();
        }
    }

    @Test
    void aTableThatDoesNotFitWaitsUntilAnotherIsFreed() throws Exception {
        long budget = SPEC.neededBytes() + 1;
        try (ContentPool pool = new ContentPool(budget, Long.MAX_VALUE, Map.of(SPEC, 1, OTHER, 1), this::make)) {
            ContentPool.Lease first = lease(pool, SPEC);
            first.content(1);
            assertThat(pool.tryLease(OTHER, NOTHING)).isNull();
            first.close();
            lease(pool, OTHER).close();
        }
    }

    @Test
    void aTableThatCannotBeBuiltIsRefusedToAllRuns() {
        ContentPool.Maker refusing = (spec, threads) -> {
            built.add(spec);
            throw new RefusedException("stuck at load 0.4");
        };
        try (ContentPool pool = new ContentPool(Long.MAX_VALUE, Long.MAX_VALUE, Map.of(SPEC, 2), refusing)) {
            for (int i = 0; i < 2; i++) {
                try (ContentPool.Lease lease = lease(pool, SPEC)) {
                    assertThatThrownBy(() -> lease.content(1))
                            .isInstanceOf(RefusedException.class)
                            .hasMessage("stuck at load 0.4");
                }
            }
        }
        assertThat(built).hasSize(1);
    }

    @Test
    void aRunsOwnMemoryCountsLikeTables() {
        UnitMemory max = new UnitMemory(0, 60, 10);
        try (ContentPool pool = new ContentPool(100, 50, Map.of(), this::make)) {
            ContentPool.Lease first = Objects.requireNonNull(pool.tryLease(null, max));
            assertThat(pool.usedBytes()).isEqualTo(70);
            assertThat(pool.tryLease(null, max)).isNull();
            assertThat(pool.tryLease(null, new UnitMemory(0, 0, 41)))
                    .as("Java's heap")
                    .isNull();
            first.close();
            assertThat(pool.usedBytes()).isZero();
            Objects.requireNonNull(pool.tryLease(null, max)).close();
        }
    }

    /** Two tables stay for later runs, and there is no memory beside them for any of these. */
    @Test
    void tablesThatWaitForLaterRunsNeverKeepTheNextFromBeginning() throws Exception {
        long table = SPEC.neededBytes();
        UnitMemory run = new UnitMemory(table, table, 0);
        try (ContentPool pool = new ContentPool(2 * table, Long.MAX_VALUE, Map.of(SPEC, 2, OTHER, 2), this::make)) {
            for (Content spec : List.of(SPEC, OTHER, SPEC, OTHER)) {
                try (ContentPool.Lease lease = Objects.requireNonNull(pool.tryLease(spec, run))) {
                    assertThat(lease.content(1)).isNotNull();
                }
            }
            assertThat(pool.usedBytes()).isZero();
        }
    }
}

package org.reprobe.table;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.memory.Memory;
import org.reprobe.testing.Background;

class TableCacheTest {
    @TempDir
    private Path folder = Path.of("");

    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());

    private static TableSpec spec(TableKind kind) {
        return TableContentsTest.spec(kind, Storage.HEAP, 32, .25);
    }

    private void assertLoadedIsBuilt(TableCache cache, TableSpec spec) throws TableRefusedException {
        try (TableImage loaded = cache.load(spec, 2, Memory.OFF_HEAP);
                TableImage built = TableBuilder.build(spec, 1)) {
            assertThat(loaded.geometry()).isEqualTo(built.geometry());
            assertThat(loaded.displacements()).isEqualTo(built.displacements());
            assertThat(loaded.table().mismatch(built.table())).isEqualTo(-1);
            assertThat(requireNonNull(loaded.heap()).mismatch(requireNonNull(built.heap())))
                    .isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource(TableKind.class)
    void aKeptTableIsTheOneThatWasBuilt(TableKind kind) throws Exception {
        TableCache cache = new TableCache(folder.resolve("new"), notices::add);
        assertLoadedIsBuilt(cache, spec(kind));
        Path file = cache.file(spec(kind));
        FileTime written = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(file, written);
        assertLoadedIsBuilt(cache, spec(kind));
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(written);
        assertThat(notices).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-5, 1e-4, .001, .3, .99999})
    void aFileWithOneBitChangedIsBuiltAgainWithAWord(double where) throws Exception {
        TableCache cache = new TableCache(folder, notices::add);
        TableSpec spec = spec(TableKind.LINEAR);
        assertLoadedIsBuilt(cache, spec);
        byte[] bytes = Files.readAllBytes(cache.file(spec));
        bytes[(int) (where * bytes.length)] ^= 1;
        Files.write(cache.file(spec), bytes);
        assertLoadedIsBuilt(cache, spec);
        assertThat(notices).singleElement().asString().contains("is damaged", "built again");
        assertLoadedIsBuilt(cache, spec);
        assertThat(notices).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 20, 1000, 100_000})
    void aFileCutShortIsBuiltAgainWithAWord(int length) throws Exception {
        TableCache cache = new TableCache(folder, notices::add);
        TableSpec spec = spec(TableKind.CUCKOO);
        assertLoadedIsBuilt(cache, spec);
        byte[] bytes = Files.readAllBytes(cache.file(spec));
        Files.write(cache.file(spec), Arrays.copyOf(bytes, length));
        assertLoadedIsBuilt(cache, spec);
        assertThat(notices).singleElement().asString().contains("is damaged", "built again");
    }

    @Test
    void anotherTablesFileIsNotTakenForThisOne() throws Exception {
        TableCache cache = new TableCache(folder, notices::add);
        cache.load(spec(TableKind.CUCKOO), 2, Memory.OFF_HEAP).close();
        Files.copy(cache.file(spec(TableKind.CUCKOO)), cache.file(spec(TableKind.LINEAR)));
        assertLoadedIsBuilt(cache, spec(TableKind.LINEAR));
        assertThat(notices).singleElement().asString().contains("another table");
    }

    @Test
    void aFolderThatCannotBeWrittenCostsAWordButNoTable() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        assertLoadedIsBuilt(new TableCache(file.resolve("cache"), notices::add), spec(TableKind.LINEAR));
        assertThat(notices).isNotEmpty().allMatch(n -> n.contains("file"));
    }

    @Test
    void manyMayUseTheFolderAtOnce() throws Exception {
        TableCache cache = new TableCache(folder, notices::add);
        List<Background> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(Background.start(() -> assertLoadedIsBuilt(cache, spec(TableKind.LINEAR))));
        }
        for (Background user : users) {
            user.join();
        }
        assertThat(notices).isEmpty();
        assertThat(files()).containsExactly(cache.file(spec(TableKind.LINEAR)));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}

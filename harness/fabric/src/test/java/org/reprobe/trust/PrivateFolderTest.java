package org.reprobe.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Deletion of leftovers, and protection against other users' links. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PrivateFolderTest {
    private static final String PREFIX = "reprobe";
    /** No process has this number. */
    private static final long UNUSED_PID = 999_999_999;

    @TempDir
    private Path place;

    private static Path leftover(Path place, int number) throws IOException {
        return Files.createDirectory(place.resolve(name(number)));
    }

    private static String name(int number) {
        return PREFIX + "-" + ProcessId.numbering() + "-" + UNUSED_PID + "-1-" + number;
    }

    private static Path victim(Path dir) throws IOException {
        Path victim = Files.createDirectory(dir.resolve("victim"));
        Files.writeString(victim.resolve("precious"), "precious");
        return victim;
    }

    @Test
    void itIsForItsUserAloneAndGoesWithAllThatIsInIt() throws Exception {
        Path path;
        try (PrivateFolder folder = PrivateFolder.create(place, PREFIX)) {
            path = folder.path();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
            Files.writeString(Files.createDirectories(path.resolve("a/b")).resolve("file"), "");
        }
        assertThat(path).doesNotExist();
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void leftoversOfKilledProcessesAreDeletedAndNothingElse(@TempDir Path elsewhere) throws Exception {
        Path precious = victim(elsewhere).resolve("precious");
        Path nested = leftover(place, 1);
        Files.writeString(Files.createDirectories(nested.resolve("a/b")).resolve("file"), "");
        Files.createSymbolicLink(nested.resolve("link"), precious);
        Files.createSymbolicLink(nested.resolve("folder"), precious.getParent());
        Files.writeString(leftover(place, 2).resolve("file"), "");
        Path ofAnotherPrefix = Files.createDirectory(place.resolve("reprobe-peer" + name(3).substring(7)));
        Path ofNoProcess = Files.createDirectory(place.resolve("reprobe-" + "9".repeat(30) + "-1-1-1"));
        Path tooLong = Files.createDirectory(
                place.resolve("reprobe-" + ProcessId.numbering() + "-" + "9".repeat(30) + "-1-1"));
        Files.createSymbolicLink(place.resolve(name(4)), precious.getParent());
        try (PrivateFolder living = PrivateFolder.create(place, PREFIX)) {
            PrivateFolder.deleteLeftovers(place, PREFIX);
            assertThat(place).isDirectoryNotContaining(path -> path.endsWith(name(1)) || path.endsWith(name(2)));
            assertThat(List.of(living.path(), ofAnotherPrefix, ofNoProcess, tooLong, precious))
                    .allMatch(Files::exists);
        }
    }

    /** The attack: another user replaces the folder by a link after it was chosen and before it is opened. */
    @Test
    void aFolderThatIsExchangedForALinkMeanwhileIsNotFollowed(@TempDir Path elsewhere) throws Exception {
        Path precious = victim(elsewhere).resolve("precious");
        leftover(place, 1);
        PrivateFolder.deleteLeftovers(place, PREFIX, Files.getOwner(place), folder -> {
            Files.delete(folder);
            Files.createSymbolicLink(folder, precious.getParent());
        });
        assertThat(precious).exists();
        assertThat(place.resolve(name(1))).isSymbolicLink();
    }

    @Test
    void anotherUsersFolderStays() throws Exception {
        Path folder = leftover(place, 1);
        Files.writeString(folder.resolve("file"), "");
        var somebody = place.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("12345");
        PrivateFolder.deleteLeftovers(place, PREFIX, somebody, _ -> {});
        assertThat(folder.resolve("file")).exists();
        PrivateFolder.deleteLeftovers(place, PREFIX);
        assertThat(place).isEmptyDirectory();
    }

    /** Weaker as root, since every deletion succeeds. */
    @Test
    void oneFolderThatCannotBeDeletedDoesNotKeepTheOthers() throws Exception {
        for (int i = 0; i < 6; i++) {
            Files.writeString(leftover(place, i).resolve("file"), "");
        }
        Path stubborn = place.resolve(name(3));
        Files.setPosixFilePermissions(stubborn, PosixFilePermissions.fromString("r-x------"));
        PrivateFolder.deleteLeftovers(place, PREFIX);
        assertThat(place).isDirectoryNotContaining(path -> !path.equals(stubborn));
        if (Files.exists(stubborn)) {
            Files.setPosixFilePermissions(stubborn, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void aLinkInPlaceOfOurFolderIsRefused(@TempDir Path elsewhere) throws Exception {
        Path victim = victim(elsewhere);
        Path link = Files.createSymbolicLink(place.resolve("folder"), victim);
        assertThatThrownBy(() -> PrivateFolder.delete(link)).isInstanceOf(IOException.class);
        assertThat(victim.resolve("precious")).exists();
        assertThat(PrivateFolder.isOurs(link)).isFalse();
        assertThat(PrivateFolder.isOurs(victim)).isTrue();
    }
}

package org.reprobe.longrun;

import java.nio.file.Path;
import org.reprobe.nessie.Geometry;

/**
 * What a client process is told, in one line by standard input, since the endpoint is secret.
 *
 * @param endpoint the server's
 * @param first number of its first client, and of that client as an owner of items
 * @param clients how many threads it runs
 * @param place which of the processes it is or takes the place of, from 0
 * @param places how many there are at a time
 * @param durationNs how long clients work once all of them may begin
 * @param dead a client that was killed, as which this process tries to come back; -1 for none
 * @param folder where its clients' logs go
 */
record Assignment(
        String fabric,
        String endpoint,
        int first,
        int clients,
        int place,
        int places,
        long durationNs,
        long seed,
        int dead,
        Geometry geometry,
        Path folder) {

    String line() {
        return String.join(
                " ",
                fabric,
                endpoint,
                String.valueOf(first),
                String.valueOf(clients),
                String.valueOf(place),
                String.valueOf(places),
                String.valueOf(durationNs),
                String.valueOf(seed),
                String.valueOf(dead),
                String.valueOf(geometry.slots()),
                String.valueOf(geometry.owners()),
                String.valueOf(geometry.itemsPerOwner()),
                String.valueOf(geometry.valueBytes()),
                folder.toString());
    }

    static Assignment parse(String line) {
        String[] word = line.split(" ", 14);
        return new Assignment(
                word[0],
                word[1],
                Integer.parseInt(word[2]),
                Integer.parseInt(word[3]),
                Integer.parseInt(word[4]),
                Integer.parseInt(word[5]),
                Long.parseLong(word[6]),
                Long.parseLong(word[7]),
                Integer.parseInt(word[8]),
                new Geometry(
                        Long.parseLong(word[9]),
                        Integer.parseInt(word[10]),
                        Integer.parseInt(word[11]),
                        Integer.parseInt(word[12])),
                Path.of(word[13]));
    }

    /** Where a client's history is; there once it is ready. */
    static Path log(Path folder, int client) {
        return folder.resolve("client-" + client + ".log");
    }

    /** Holds the time at which all may begin, by {@link System#nanoTime}; not there before. */
    static Path start(Path folder) {
        return folder.resolve("start");
    }
}

package org.reprobe.farm.commit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** One of the two files of a {@link LogFile}, as that writes them. */
interface LogSegment extends AutoCloseable {
    /** Writes what remains of a buffer; it is safe once {@link #flush} has returned, and may be so before. */
    void write(ByteBuffer bytes, long at) throws IOException;

    /** Has the device keep all that was written, also if the power fails. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;

    /** A file. */
    static LogSegment of(FileChannel file) {
        return new LogSegment() {
            @Override
            public void write(ByteBuffer bytes, long at) throws IOException {
                long to = at;
                while (bytes.hasRemaining()) {
                    to += file.write(bytes, to);
                }
            }

            @Override
            public void flush() throws IOException {
                file.force(false); // its length never changes
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}

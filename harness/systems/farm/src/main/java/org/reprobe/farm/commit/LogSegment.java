package org.reprobe.farm.commit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** One of the two files of a {@link LogFile}. */
interface LogSegment extends AutoCloseable {
    /** Writes the remaining bytes of a buffer. They are durable at the latest when {@link #flush} has returned. */
    void write(ByteBuffer bytes, long at) throws IOException;

    /** Makes all written bytes survive a power failure. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;

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
                file.force(false); // the length never changes
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}

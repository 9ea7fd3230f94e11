package org.reprobe.trust;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 output that escapes control and format characters, whatever the text's origin. Line breaks and tabs stay.
 * Incomplete characters are buffered until their remaining bytes arrive.
 */
public final class PrintableOutput extends OutputStream {
    private static final int LONGEST = 4;

    private final PrintStream to;
    private final byte[] begun = new byte[LONGEST];
    private int length;

    private PrintableOutput(PrintStream to) {
        this.to = to;
    }

    /** Returns a stream that passes sanitized text on. */
    public static PrintStream to(PrintStream to) {
        return new PrintStream(new PrintableOutput(to), true, to.charset());
    }

    @Override
    public synchronized void write(int value) {
        byte next = (byte) value;
        if (length > 0 && (next & 0xc0) != 0x80) {
            pass(); // the previous character is incomplete
        }
        begun[length++] = next;
        if (length >= expected(begun[0])) {
            pass();
        }
    }

    /** Writes bytes. Complete characters are not buffered, since the process may exit without a flush. */
    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
        for (int i = 0; i < count; i++) {
            write(bytes[offset + i]);
        }
        to.flush();
    }

    /** Returns the length in bytes of the character that begins with {@code first}. */
    private static int expected(byte first) {
        int lead = first & 0xff;
        return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    }

    private void pass() {
        String text = new String(begun, 0, length, StandardCharsets.UTF_8);
        if (text.indexOf('\ufffd') >= 0) { // not UTF-8: each byte is taken as a character
            text = new String(begun, 0, length, StandardCharsets.ISO_8859_1);
        }
        String shown = text.equals("\n") ? text : Printable.line(text);
        if (shown.equals(text)) {
            to.write(begun, 0, length);
        } else {
            to.writeBytes(shown.getBytes(StandardCharsets.US_ASCII));
        }
        length = 0;
    }

    @Override
    public synchronized void flush() {
        to.flush();
    }

    @Override
    public synchronized void close() {
        if (length > 0) {
            pass();
        }
        to.close();
    }
}

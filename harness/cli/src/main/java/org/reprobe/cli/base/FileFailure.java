package org.reprobe.cli.base;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

public final class FileFailure {
    private FileFailure() {}

    public static String words(IOException failure) {
        if (failure instanceof FileSystemException file && file.getFile() != null && file.getReason() == null) {
            return file.getFile() + ": could not be read or written ("
                    + switch (failure) {
                        case NoSuchFileException _ -> "there is no such file";
                        case AccessDeniedException _ -> "no permission";
                        default -> "input or output failed";
                    }
                    + ")";
        }
        return String.valueOf(failure.getMessage());
    }
}

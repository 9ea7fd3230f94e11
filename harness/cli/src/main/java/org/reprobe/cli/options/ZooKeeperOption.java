package org.reprobe.cli.options;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --zookeeper}: addresses of running servers. */
public final class ZooKeeperOption {
    private static final String HOST = "([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+(%[A-Za-z0-9_.-]+)?\\]):[0-9]{1,5}";
    private static final Pattern HOSTS = Pattern.compile(HOST + "(," + HOST + ")*");

    @Option(
            names = "--zookeeper",
            paramLabel = "HOSTS",
            converter = Hosts.class,
            description = "ZooKeeper servers that store the membership configuration on real fabrics, as"
                    + " host:2181,host:2181 (default: a ZooKeeper in this process).")
    private String hosts = "";

    /** Returns the addresses; empty for a server in this process. */
    public String hosts() {
        return hosts;
    }

    static final class Hosts implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!HOSTS.matcher(text).matches()) {
                throw new TypeConversionException("'" + text + "' is not host:port, or several with commas");
            }
            return text;
        }
    }
}

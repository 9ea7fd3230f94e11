package org.reprobe.cli.options;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --zookeeper}: servers that run already. */
public final class ZooKeeperOption {
    private static final String HOST = "([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+(%[A-Za-z0-9_.-]+)?\\]):[0-9]{1,5}";
    private static final Pattern HOSTS = Pattern.compile(HOST + "(," + HOST + ")*");

    @Option(
            names = "--zookeeper",
            paramLabel = "HOSTS",
            converter = Hosts.class,
            description = "Where runs whose machines may fail keep the configuration on real fabrics, as"
                    + " host:2181,host:2181 (default: a ZooKeeper of this process's own).")
    private String hosts = "";

    /** Empty for a server of our own. */
    public String hosts() {
        return hosts;
    }

    /** Refuses what names no servers. */
    static final class Hosts implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!HOSTS.matcher(text).matches()) {
                throw new TypeConversionException(
                        "'" + text + "' names no servers: say host:port, or several with commas");
            }
            return text;
        }
    }
}

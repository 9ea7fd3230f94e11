package org.reprobe.cli.regress;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An address that is told of regressions by POST. Its path and query are often what gives access, so only the host is ever shown, and no
 * redirection is followed.
 */
public record Webhook(URI address) {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration WHOLE = Duration.ofSeconds(10);
    private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");

    /** An https address, or an http one on this host. */
    static final class Converter implements ITypeConverter<Webhook> {
        @Override
        public Webhook convert(String text) {
            URI address;
            try {
                address = new URI(text);
            } catch (URISyntaxException e) {
                throw new TypeConversionException("must be an address like https://host/path");
            }
            String scheme =
                    address.getScheme() == null ? "" : address.getScheme().toLowerCase(Locale.ROOT);
            String host = address.getHost();
            if (host == null || !(scheme.equals("https") || scheme.equals("http"))) {
                throw new TypeConversionException("must be an address like https://host/path");
            }
            if (scheme.equals("http") && !HERE.contains(host.toLowerCase(Locale.ROOT))) {
                throw new TypeConversionException(
                        "must be https, since http sends it for everybody to read; http is for localhost only");
            }
            if (address.getUserInfo() != null) {
                throw new TypeConversionException("must have no user name and password in it");
            }
            return new Webhook(address);
        }
    }

    /**
     * Posts JSON, waiting no longer than {@link #WHOLE}.
     *
     * @return "" when it was taken, else why not, without what may be secret
     */
    public String post(String json) throws InterruptedException {
        return post(json, WHOLE);
    }

    /** The same with another limit. */
    public String post(String json, Duration limit) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(limit)
                .header("Content-Type", "application/json")
                .header("User-Agent", "reprobe")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(limit.compareTo(CONNECT) < 0 ? limit : CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        try {
            // The request's own time ends with the answer's headers; an answer without end must not hold us either.
            HttpResponse<Void> response = client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return response.statusCode() / 100 == 2 ? "" : "it answered with status " + response.statusCode();
        } catch (TimeoutException e) {
            return noAnswer(limit);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return reason(cause == null ? e : cause, limit);
        } finally {
            client.shutdownNow();
        }
    }

    private static String noAnswer(Duration limit) {
        return "it did not answer within " + limit.toMillis() / 1000.0 + " s";
    }

    private static String reason(Throwable failure, Duration limit) {
        return switch (failure) {
            case HttpConnectTimeoutException _ -> "it can't be reached";
            case HttpTimeoutException _ -> noAnswer(limit);
            case SSLException _ -> "there is no secure connection to it";
            case IOException _ -> "it can't be reached";
            default -> failure.getClass().getSimpleName();
        };
    }

    /** The host, with its port. */
    @Override
    public String toString() {
        return address.getHost() + (address.getPort() < 0 ? "" : ":" + address.getPort());
    }
}

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

/** Receiver of regressions by POST. As path and query may be secrets, it shows the host only, without redirections. */
public record Webhook(URI address) {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

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
            if (scheme.equals("http") && !LOOPBACK.contains(host.toLowerCase(Locale.ROOT))) {
                throw new TypeConversionException("must be https: http is unencrypted and allowed for localhost only");
            }
            if (address.getUserInfo() != null) {
                throw new TypeConversionException("must not contain a user name or password");
            }
            return new Webhook(address);
        }
    }

    /** Posts JSON; returns "" if it was accepted, else the reason without secrets. */
    public String post(String json) throws InterruptedException {
        return post(json, TIMEOUT);
    }

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
            // The request's own timeout ends with the reply's headers; a reply without end must not block the caller
            // either.
            HttpResponse<Void> response = client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return response.statusCode() / 100 == 2 ? "" : "status " + response.statusCode();
        } catch (TimeoutException e) {
            return timedOut(limit);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return reason(cause == null ? e : cause, limit);
        } finally {
            client.shutdownNow();
        }
    }

    private static String timedOut(Duration limit) {
        return "no reply within " + limit.toMillis() / 1000.0 + " s";
    }

    private static String reason(Throwable failure, Duration limit) {
        return switch (failure) {
            case HttpConnectTimeoutException _ -> "unreachable";
            case HttpTimeoutException _ -> timedOut(limit);
            case SSLException _ -> "no secure connection";
            case IOException _ -> "unreachable";
            default -> failure.getClass().getSimpleName();
        };
    }

    @Override
    public String toString() {
        return address.getHost() + (address.getPort() < 0 ? "" : ":" + address.getPort());
    }
}

/**
 * Shared code of protocols whose clients do one operation after the other: connections that count round trips, requests to a server's
 * program, the loop of a client, and deployments of key-value tables.
 */
@NullMarked
package org.reprobe.remote;

import org.jspecify.annotations.NullMarked;

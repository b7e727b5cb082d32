import { createServer as createHttpServer, type Server } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { ServerCertificate } from './certificate.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

/** What listens: with `Http2SecureServer`, for clients of either version, as they agree on by ALPN. */
export type ListeningServer = Server | Http2SecureServer;

/**
 * The groups that the server takes, the first that a client knows too. By itself OpenSSL adds ML-KEM, against computers to come: a fifth of the CPU time
 * of a connection, of which a test makes thousands, all within the machine.
 */
const keyExchange = 'X25519:P-256';

/** What the real server lets a client have at once on a connection, and send before it was read. */
const http2Settings = { maxConcurrentStreams: 100, initialWindowSize: 256 * 1024 };

/** Without a certificate the server speaks HTTP/1.1 alone, as the real one offers HTTP/2 by ALPN alone. */
export async function createListeningServer(
  certificate: ServerCertificate | undefined,
  http2: boolean,
  listener: (request: HttpRequest, response: HttpResponse) => void,
): Promise<ListeningServer> {
  const options = { keepAliveTimeout: 0, requestTimeout: 0 };
  if (certificate === undefined) {
    return createHttpServer(options, listener);
  }
  const secure = {
    ...options,
    cert: certificate.certificate,
    key: certificate.key,
    ecdhCurve: keyExchange,
  };
  if (!http2) {
    return createHttpsServer(secure, listener);
  }
  const { createSecureServer } = await import('node:http2');
  return createSecureServer({ ...secure, allowHTTP1: true, settings: http2Settings }, listener);
}

import { createServer as createHttpServer, type Server } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { ServerCertificate } from './certificate.ts';
import type { HttpResponse, NetworkRequest } from './exchange.ts';

/**
 * A server that listens. `Http2SecureServer` serves both HTTP versions; client and server agree on one by
 * ALPN.
 */
export type ListeningServer = Server | Http2SecureServer;

/**
 * The key exchange groups that the server accepts, in order of preference. By default OpenSSL adds ML-KEM,
 * which protects against quantum computers but takes a fifth of the CPU time of a connection; tests open
 * thousands of connections, all of them within the machine.
 */
const keyExchange = 'X25519:P-256';

/**
 * How many streams the real server allows on a connection at once, and how much a client may send before it
 * is read.
 */
const http2Settings = { maxConcurrentStreams: 100, initialWindowSize: 256 * 1024 };

/**
 * Without a certificate the server speaks only HTTP/1.1: like the real one, it offers HTTP/2 only by ALPN.
 */
export async function createListeningServer(
  certificate: ServerCertificate | undefined,
  http2: boolean,
  listener: (request: NetworkRequest, response: HttpResponse) => void,
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

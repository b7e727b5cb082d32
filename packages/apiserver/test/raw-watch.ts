import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ApiServer } from '../src/server.ts';
import { configMaps } from './client.ts';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data'?: string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/**
 * Opens a watch of ConfigMaps on a socket of its own, for tests of the connection itself. Resolves when the headers are
 * there.
 */
export async function openRawWatch(server: ApiServer): Promise<Socket> {
  const { clusters, users } = JSON.parse(server.kubeconfig) as Kubeconfig;
  const ca = clusters[0].cluster['certificate-authority-data'];
  const { hostname: host, port: text } = new URL(server.url);
  const port = Number(text);
  const socket =
    ca === undefined ? connect({ host, port }) : connectTls({ host, port, ca: Buffer.from(ca, 'base64') });
  socket.write(
    `GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${users[0].user.token}\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

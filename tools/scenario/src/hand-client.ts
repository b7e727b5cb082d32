import {
  createApiClient,
  createClientMetrics,
  systemClock,
  type ConnectedClient,
  type Transport,
} from '@holdfast/runtime';
import type { ControlPlane, EmbeddedControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';

/**
 * Returns the client by which a test acts as a user. On the embedded control plane everything but watches is
 * answered within the process: a third of a story's requests are those of the test, most of them to see
 * whether something has happened yet. They meet no faults, and the API server does not log them.
 *
 * @param network the client for any other control plane, and for watches
 */
export function handClient(plane: ControlPlane, network: ConnectedClient): ConnectedClient {
  if (!isEmbedded(plane)) {
    return network;
  }
  const client = createApiClient({
    transport: withinProcess(plane),
    credentials: {
      fresh: () => noCredentials,
      get: () => Promise.resolve(noCredentials),
      renew: () => undefined,
    },
    metrics: createClientMetrics(new Registry(), 'in-process'),
    clock: systemClock,
    userAgent: 'scenario',
    fieldManager: 'scenario',
  });
  return { ...client, watch: network.watch, close: () => network.close() };
}

const noCredentials = { headers: {}, tls: {} };

function isEmbedded(plane: ControlPlane): plane is EmbeddedControlPlane {
  // A test can also put together a control plane of other parts.
  return 'apiServer' in plane;
}

function withinProcess(plane: EmbeddedControlPlane): Transport {
  return {
    send: async ({ method, path, headers, body, beforeSending }) => {
      // As over the network, watchers hear of one request before the next is carried out.
      await turn();
      beforeSending?.();
      const answer = await plane.apiServer.handle(method, path, body, headers['content-type']);
      await turn();
      return { status: answer.code, contentType: 'application/json', body: Buffer.from(answer.body) };
    },
    close: () => Promise.resolve(),
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

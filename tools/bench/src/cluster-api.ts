import { StringDecoder } from 'node:string_decoder';
import type { KubernetesObject } from '@holdfast/core';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { Pool } from 'undici';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

export interface Watch {
  /**
   * Settles only by rejecting: the server ended the watch, or the connection broke. Never settles after
   * `close()`.
   */
  readonly failed: Promise<never>;
  close(): void;
}

/**
 * The bench's own client of the cluster, which prepares what a contestant finds, and watches for the end of
 * its work. It is not the runtime's client: what is measured must not measure itself, and that client has
 * neither merge patch nor delete.
 *
 * Every method rejects if the server answers with an error, and once the client is closed.
 */
export interface ClusterApi {
  get<T>(path: string, accept?: string): Promise<T>;
  /** For documents that are not JSON and not about objects: `/metrics`. */
  getText(path: string): Promise<string>;
  /**
   * `accept` is the form of the answer. The answer is not read; the default, metadata, is cheapest for the
   * server.
   */
  post(path: string, body: unknown, accept?: string): Promise<void>;
  /** `accept` is as in `post`. */
  mergePatch(path: string, body: unknown, accept?: string): Promise<void>;
  delete(path: string): Promise<void>;
  /**
   * Opens a watch and passes on its bytes: one event per line. Resolves when the server has started the
   * watch.
   */
  stream(path: string, accept: string, onData: (chunk: Buffer) => void): Promise<Watch>;
  /** Resolves when the server has started the watch. */
  watch(path: string, accept: string, onEvent: (event: WatchEvent) => void): Promise<Watch>;
  /**
   * How many requests for objects the bench has had answered so far, successful or not; watches are not
   * counted.
   */
  answered(): number;
  /** Breaks off what is in progress. */
  close(): Promise<void>;
}

/** More connections do not make two cores faster. */
const defaultConnections = 24;

export const json = 'application/json';
const plain = 'text/plain';
/** Objects without spec and status. */
export const metadataOnly = `${json};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
export const metadataOnlyList = `${json};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

/**
 * @param connections the maximum of concurrent connections, including one for each watch; default 24
 * @throws if the kubeconfig has no current cluster
 */
export function connectToCluster(kubeconfig: string, connections = defaultConnections): ClusterApi {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new Error('the kubeconfig of the control plane names no current cluster');
  }
  const pool = new Pool(cluster.server, {
    connections,
    connect: { ca: Buffer.from(cluster.caData ?? '', 'base64') },
  });
  const authorization = `Bearer ${config.getCurrentUser()?.token ?? ''}`;

  let answered = 0;
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    accept: string,
    content?: { readonly type: string; readonly body: unknown },
  ): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method,
      path,
      headers: {
        accept,
        authorization,
        'user-agent': 'holdfast-bench',
        ...(content === undefined ? {} : { 'content-type': content.type }),
      },
      body: content === undefined ? null : JSON.stringify(content.body),
    });
    const text = await body.text();
    answered += accept === plain ? 0 : 1;
    if (statusCode >= 300) {
      throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
    }
    return text;
  };

  const stream: ClusterApi['stream'] = async (path, accept, onData) => {
    const closing = new AbortController();
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path,
      headers: { accept, authorization, 'user-agent': 'holdfast-bench' },
      signal: closing.signal,
      // A contestant may take a while until the first event.
      bodyTimeout: 0,
    });
    if (statusCode >= 300) {
      throw new Error(`GET ${path} answered ${statusCode}: ${await body.text()}`);
    }
    const failed = new Promise<never>((_resolve, reject) => {
      const fail = (error: unknown): void => {
        if (!closing.signal.aborted) {
          const reason = error instanceof Error ? error.message : String(error);
          reject(new Error(`the watch of ${path} broke off: ${reason}`, { cause: error }));
        }
      };
      body.on('data', (chunk: Buffer) => {
        try {
          onData(chunk);
        } catch (error) {
          fail(error);
        }
      });
      body.once('error', fail);
      body.once('end', () => fail(new Error('the API server ended it')));
    });
    // Callers that wait for it get the error; until one does, it must not count as an unhandled rejection.
    failed.catch(() => undefined);
    return { failed, close: () => closing.abort() };
  };

  return {
    async get<T>(path: string, accept = json) {
      return JSON.parse(await send('GET', path, accept)) as T;
    },
    getText: (path) => send('GET', path, plain),
    answered: () => answered,
    async post(path, body, accept = metadataOnly) {
      await send('POST', path, accept, { type: json, body });
    },
    async mergePatch(path, body, accept = metadataOnly) {
      await send('PATCH', path, accept, { type: 'application/merge-patch+json', body });
    },
    async delete(path) {
      await send('DELETE', path, json);
    },
    stream,
    watch(path, accept, onEvent) {
      const decoder = new StringDecoder('utf8');
      let rest = '';
      return stream(path, accept, (chunk) => {
        const lines = `${rest}${decoder.write(chunk)}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          onEvent(parseEvent(line));
        }
      });
    },
    close: () => pool.destroy(),
  };
}

function parseEvent(line: string): WatchEvent {
  const event = JSON.parse(line) as WatchEvent | { readonly type: 'ERROR' };
  if (event.type === 'ERROR') {
    throw new Error(line);
  }
  return event;
}

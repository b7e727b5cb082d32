import type { KubernetesObject } from '@holdfast/core';
import { KubeConfig } from '@kubernetes/client-node';
import { Pool } from 'undici';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

interface Watch {
  /** Settles only by rejecting: the server ended the watch, or the connection broke. Never settles after `close()`. */
  readonly failed: Promise<never>;
  close(): void;
}

/**
 * The bench's own way to the cluster, for what a contestant finds and for seeing that it is done. Not the runtime's client:
 * what is measured must not measure itself, and that client has neither merge patch nor delete.
 *
 * Everything rejects when the server does not answer with success, and once it is closed.
 */
export interface ClusterApi {
  get<T>(path: string, accept?: string): Promise<T>;
  post(path: string, body: unknown): Promise<void>;
  mergePatch(path: string, body: unknown): Promise<void>;
  delete(path: string): Promise<void>;
  /** Resolves when the server has taken up the watch. */
  watch(path: string, accept: string, onEvent: (event: WatchEvent) => void): Promise<Watch>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** More do not make two cores faster. */
const connections = 24;

export const json = 'application/json';
/** Objects without spec and status. */
export const metadataOnly = `${json};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
export const metadataOnlyList = `${json};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

/** @throws when the kubeconfig has no current cluster. */
export function connectToCluster(kubeconfig: string): ClusterApi {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig of the control plane names no current cluster');
  const pool = new Pool(cluster.server, {
    connections,
    connect: { ca: Buffer.from(cluster.caData ?? '', 'base64') },
  });
  const authorization = `Bearer ${config.getCurrentUser()?.token ?? ''}`;

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
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
    return text;
  };

  return {
    async get<T>(path: string, accept = json) {
      return JSON.parse(await send('GET', path, accept)) as T;
    },
    async post(path, body) {
      await send('POST', path, metadataOnly, { type: json, body });
    },
    async mergePatch(path, body) {
      await send('PATCH', path, metadataOnly, { type: 'application/merge-patch+json', body });
    },
    async delete(path) {
      await send('DELETE', path, json);
    },
    async watch(path, accept, onEvent) {
      const closing = new AbortController();
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { accept, authorization, 'user-agent': 'holdfast-bench' },
        signal: closing.signal,
        // A contestant may take its time before the first event.
        bodyTimeout: 0,
      });
      if (statusCode >= 300) throw new Error(`GET ${path} answered ${statusCode}: ${await body.text()}`);
      const failed = new Promise<never>((_resolve, reject) => {
        const fail = (error: unknown): void => {
          if (!closing.signal.aborted) reject(new Error(`the watch of ${path} broke off`, { cause: error }));
        };
        body.setEncoding('utf8');
        let rest = '';
        body.on('data', (chunk: string) => {
          const lines = `${rest}${chunk}`.split('\n');
          rest = lines.pop() ?? '';
          try {
            for (const line of lines) onEvent(parseEvent(line));
          } catch (error) {
            fail(error);
          }
        });
        body.once('error', fail);
        body.once('end', () => fail(new Error('the API server ended it')));
      });
      // Whoever waits hears of it; until somebody does, it is not an unhandled rejection.
      failed.catch(() => undefined);
      return { failed, close: () => closing.abort() };
    },
    close: () => pool.destroy(),
  };
}

function parseEvent(line: string): WatchEvent {
  const event = JSON.parse(line) as WatchEvent | { readonly type: 'ERROR' };
  if (event.type === 'ERROR') throw new Error(line);
  return event;
}

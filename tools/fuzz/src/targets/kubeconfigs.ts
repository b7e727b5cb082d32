import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfigError, loadKubeConfig } from '@holdfast/runtime';
import fc from 'fast-check';
import { deviate, type Deviation } from '../deviation.ts';
import { deviationsOf } from '../deviations-of.ts';
import type { Mutable } from '../json.ts';
import type { Schema, Schemas } from '../openapi.ts';
import type { Target } from '../target.ts';

type KubeConfigInput = { readonly deviations: readonly Deviation[] } | { readonly hex: string };

const text: Schema = { type: 'string' };

/**
 * The API server's documents have no schema for kubeconfigs. This is client-go's `api/v1`, limited to what is
 * read.
 */
const schema: Schema = {
  type: 'object',
  properties: {
    'current-context': text,
    clusters: list({
      name: text,
      cluster: {
        type: 'object',
        properties: {
          server: text,
          'certificate-authority': text,
          'certificate-authority-data': text,
          'insecure-skip-tls-verify': { type: 'boolean' },
          'tls-server-name': text,
          'proxy-url': text,
        },
      },
    }),
    contexts: list({
      name: text,
      context: { type: 'object', properties: { cluster: text, user: text, namespace: text } },
    }),
    users: list({
      name: text,
      user: {
        type: 'object',
        properties: {
          token: text,
          tokenFile: text,
          username: text,
          password: text,
          'client-certificate': text,
          'client-certificate-data': text,
          'client-key': text,
          exec: {
            type: 'object',
            properties: {
              apiVersion: text,
              command: text,
              args: { type: 'array', items: text },
              env: { type: 'array', items: { type: 'object', properties: { name: text, value: text } } },
            },
          },
          'auth-provider': {
            type: 'object',
            properties: { name: text, config: { type: 'object', additionalProperties: text } },
          },
        },
      },
    }),
  },
};

function list(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'array', items: { type: 'object', properties } };
}

const kubeconfig: Mutable = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'main',
  clusters: [
    { name: 'cluster', cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': 'Zm9v' } },
    { name: 'other', cluster: { server: 'https://127.0.0.1:6444', 'proxy-url': 'http://127.0.0.1:3128' } },
  ],
  contexts: [{ name: 'main', context: { cluster: 'cluster', user: 'admin', namespace: 'default' } }],
  users: [
    { name: 'admin', user: { tokenFile: 'token' } },
    {
      name: 'plugin',
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', args: ['y'] } },
    },
    { name: 'oidc', user: { 'auth-provider': { name: 'oidc', config: { 'id-token': 'a.b.c' } } } },
  ],
};

/** A kubeconfig: it is accepted, or refused in one line that a person can read. */
export function kubeconfigs(schemas: Schemas): Target<KubeConfigInput> {
  return {
    name: 'kubeconfigs',
    input: fc.oneof(
      deviationsOf(kubeconfig, schema, schemas).map((deviations) => ({ deviations })),
      fc
        .oneof(
          fc
            .constantFrom(
              ...[
                '',
                '\ufeff',
                '{}',
                '[]',
                'null',
                '7',
                'x',
                'users: 7',
                'clusters: {a: b}',
                'a: &a [*a]',
                '\u0000',
              ],
            )
            .map((each) => Buffer.from(each)),
          fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
          fc.nat(600).map((length) => Buffer.from(JSON.stringify(kubeconfig)).subarray(0, length)),
        )
        .map((bytes) => ({ hex: bytes.toString('hex') })),
    ),
    play: (input) => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
      try {
        const path = join(folder, 'kubeconfig');
        writeFileSync(join(folder, 'token'), 'example-of-a-token');
        writeFileSync(
          path,
          'hex' in input
            ? Buffer.from(input.hex, 'hex')
            : JSON.stringify(deviate(kubeconfig, input.deviations)),
        );
        loadKubeConfig({ kubeconfig: path });
      } catch (error) {
        if (!(error instanceof KubeConfigError)) {
          throw new Error(`something else than a KubeConfigError: ${String(error)}`, { cause: error });
        }
        const { message } = error;
        if (/\p{Cc}|\p{Bidi_Control}/u.test(message) || message.length > 1_000) {
          throw new Error(`the message is not for people: ${JSON.stringify(message.slice(0, 200))}`, {
            cause: error,
          });
        }
        if (/is not a function|undefined|Cannot read|not iterable|\[object/.test(message)) {
          throw new Error(`the message is JavaScript's: ${message.replaceAll(folder, '')}`, { cause: error });
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
      return Promise.resolve();
    },
  };
}

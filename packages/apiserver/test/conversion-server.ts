import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { generate } from 'selfsigned';

/*
 * A conversion webhook for a kind whose v1 has `spec.hostPort` where v2 has `spec.host` and `spec.port`. As an
 * admission webhook it makes the host of what it is shown in v2 `admitted`.
 */

export interface Converted {
  apiVersion?: string;
  kind?: string;
  metadata?: unknown;
  spec?: { hostPort?: string; host?: string; port?: string } & Record<string, unknown>;
}

interface Review {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: Converted[];
  };
  response?: unknown;
}

/** What becomes of a good answer. */
export interface Misbehaviour {
  /** Of the first object, changed in place. */
  readonly object?: (object: Converted) => void;
  readonly objects?: (objects: unknown[]) => unknown[];
  readonly result?: object;
  readonly uid?: unknown;
  readonly review?: (review: Review) => void;
  /** Instead of an answer. */
  readonly raw?: { readonly code: number; readonly text: string; readonly type?: string };
  readonly isCut?: boolean;
  readonly isSilent?: boolean;
}

export interface Call {
  readonly path: string;
  readonly review: Review;
}

export interface ConversionServer {
  readonly port: number;
  readonly url: string;
  /** Base64, good for 127.0.0.1 and converter.hooks.svc. */
  readonly caBundle: string;
  /** How it answers from now on; undefined: well. */
  behave(misbehaviour: Misbehaviour | undefined): void;
  /** What was asked since the last call. */
  take(): readonly Call[];
  /** Resolves when it was asked the next time. */
  asked(): Promise<void>;
  stop(): Promise<void>;
}

export async function startConversionServer(): Promise<ConversionServer> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'converter' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'converter.hooks.svc' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  let calls: Call[] = [];
  let misbehaviour: Misbehaviour | undefined;
  const waiting: (() => void)[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void json(request).then((body) => {
      const review = body as Review;
      if (review.kind === 'AdmissionReview') {
        response.end(JSON.stringify(admitted(review)));
        return;
      }
      calls.push({ path: request.url ?? '', review: structuredClone(review) });
      const { raw, isCut = false, isSilent = false, ...rest } = misbehaviour ?? {};
      if (isCut) {
        request.socket.destroy();
      } else if (raw !== undefined) {
        response.writeHead(raw.code, { 'content-type': raw.type ?? 'application/json' }).end(raw.text);
      } else if (!isSilent) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answerOf(review, rest)));
      }
      for (const wake of waiting.splice(0)) {
        wake();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(cert).toString('base64'),
    behave(chosen) {
      misbehaviour = chosen;
    },
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
    asked: () => new Promise((resolve) => waiting.push(resolve)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerOf(
  { kind, apiVersion, request: { uid, objects, desiredAPIVersion } }: Review,
  { object, objects: change, result = { status: 'Success' }, uid: given = uid, review }: Misbehaviour,
): Review {
  const converted = objects.map((each) => convert(each, desiredAPIVersion));
  if (converted[0] !== undefined) {
    object?.(converted[0]);
  }
  const response = { uid: given, convertedObjects: change?.(converted) ?? converted, result };
  const answer = { kind, apiVersion, response } as unknown as Review;
  review?.(answer);
  return answer;
}

function admitted({ kind, apiVersion, request: { uid } }: Review): object {
  const patch = [{ op: 'replace', path: '/spec/host', value: 'admitted' }];
  const base64 = Buffer.from(JSON.stringify(patch)).toString('base64');
  return { kind, apiVersion, response: { uid, allowed: true, patchType: 'JSONPatch', patch: base64 } };
}

function convert({ spec = {}, ...rest }: Converted, apiVersion: string): Converted {
  const { hostPort = '', host, port, ...others } = spec;
  if (rest.apiVersion?.endsWith('/v1') === true) {
    const [first = '', second] = hostPort.split(':');
    const split = { host: first, ...(second === undefined ? undefined : { port: second }) };
    return { ...rest, apiVersion, spec: { ...others, ...split } };
  }
  return { ...rest, apiVersion, spec: { ...others, hostPort: `${host ?? ''}:${port ?? ''}` } };
}

/** What was sent to the webhook: names with versions, and the version asked for. */
export function summary({ review: { request } }: Call): string {
  const versionOf = (apiVersion = ''): string => apiVersion.slice(apiVersion.indexOf('/') + 1);
  const objects = request.objects.map(
    ({ apiVersion, metadata }) => `${(metadata as { name: string }).name}@${versionOf(apiVersion)}`,
  );
  return `${objects.join(' ')} -> ${versionOf(request.desiredAPIVersion)}`;
}

const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
};
const schemaWith = (properties: object): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { replicas: { type: 'integer' }, ...properties } },
      status: {
        type: 'object',
        properties: { replicas: { type: 'integer' }, phase: { type: 'string' } },
      },
    },
  },
});
export const v1 = {
  name: 'v1',
  served: true,
  storage: false,
  subresources,
  schema: schemaWith({ hostPort: { type: 'string' } }),
  additionalPrinterColumns: [{ name: 'HostPort', type: 'string', jsonPath: '.spec.hostPort' }],
  selectableFields: [{ jsonPath: '.spec.hostPort' }],
};
export const v2 = {
  name: 'v2',
  served: true,
  storage: true,
  subresources,
  schema: schemaWith({ host: { type: 'string' }, port: { type: 'string', default: '80' } }),
  additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
};

/** A definition of the kind, in a group of its own. */
export function definitionOf(
  group: string,
  plural: string,
  conversion: unknown,
  versions: readonly object[] = [v1, v2],
): object {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions, conversion },
  };
}

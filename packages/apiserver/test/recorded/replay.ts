import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ApiServer } from '../../src/server.ts';

/* Sends the lines of requests.ts and makes answers of two servers comparable. */

export interface Endpoint {
  readonly url: string;
  /** The server at that address, if it is in this process: then it is asked without a connection. */
  readonly server?: ApiServer;
  /** Absent: nobody in particular. */
  readonly token?: string;
  /** Sent besides, such as those of impersonation. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** One answer with everything that differs from run to run replaced: UIDs, times, versions, the namespace. */
export interface Recorded {
  readonly request: string;
  readonly code: number;
  readonly body: unknown;
  readonly warning?: string;
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};
const forms: Readonly<Record<string, string>> = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadatalist: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
};

/**
 * `METHOD[:patch type or form] path [body]`, with $NS and the short names of collections in it. `read` sees the answer
 * as it came; $TOKEN stands for the given token. An answer that is `isEnough` is not read any further.
 */
export async function replay(
  line: string,
  endpoint: Endpoint,
  namespace: string,
  read: (text: string) => void = () => undefined,
  issued = '',
  isEnough: (text: string) => boolean = () => false,
): Promise<Recorded> {
  const [verb = '', path = '', ...rest] = expand(line, namespace).replaceAll('$TOKEN', issued).split(' ');
  const [method = '', option = ''] = verb.split(':');
  const body = rest.join(' ');
  const headers: Record<string, string | string[]> = {
    ...(endpoint.token === undefined ? undefined : { authorization: `Bearer ${endpoint.token}` }),
    ...endpoint.headers,
    'user-agent': 'replay',
  };
  const accept = forms[option];
  if (accept !== undefined) {
    headers['accept'] = accept;
  }
  if (body !== '') {
    headers['content-type'] = mediaTypes[option] ?? 'application/json';
    headers['content-length'] = String(Buffer.byteLength(body));
  }
  const answer =
    endpoint.server === undefined
      ? await send(endpoint.url + path, method, headers, body, isEnough)
      : await serve(endpoint.server, path, method, headers, body);
  read(answer.text);
  return {
    request: line,
    code: answer.code,
    body: normalise(parse(answer.text), namespace),
    ...(answer.warning === undefined ? undefined : { warning: answer.warning }),
  };
}

function expand(line: string, namespace: string): string {
  return line
    .replaceAll('$CONFIGMAPS', '/api/v1/namespaces/$NS/configmaps')
    .replaceAll('$CLAIMS', '/api/v1/namespaces/$NS/persistentvolumeclaims')
    .replaceAll('$PODS', '/api/v1/namespaces/$NS/pods')
    .replaceAll('$SETS', '/apis/apps/v1/namespaces/$NS/statefulsets')
    .replaceAll('$LEASES', '/apis/coordination.k8s.io/v1/namespaces/$NS/leases')
    .replaceAll('$SECRETS', '/api/v1/namespaces/$NS/secrets')
    .replaceAll('$RBAC', '/apis/rbac.authorization.k8s.io/v1')
    .replaceAll('$AUTHN', '/apis/authentication.k8s.io/v1')
    .replaceAll('$AUTHZ', '/apis/authorization.k8s.io/v1')
    .replaceAll('$NS', namespace);
}

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly warning: string | undefined;
}

// Connections are kept: a handshake costs more than most of the requests.
const agents = {
  http: new HttpAgent({ keepAlive: true }),
  // Recording is done against a server with a certificate nobody signed, on the loopback interface.
  https: new HttpsAgent({ keepAlive: true, rejectUnauthorized: false }),
};

function send(
  url: string,
  method: string,
  headers: Record<string, string | string[]>,
  body: string,
  isEnough: (text: string) => boolean,
): Promise<Answer> {
  const [request, agent] = url.startsWith('https:')
    ? [httpsRequest, agents.https]
    : [httpRequest, agents.http];
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const sent = request(url, { method, headers, agent }, (response) => {
      isAnswered = true;
      let text = '';
      const end = (): void => {
        const warning = response.headers['warning'];
        resolve({
          code: response.statusCode ?? 0,
          text,
          warning: Array.isArray(warning) ? warning.join(', ') : warning,
        });
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (isEnough(text)) {
          end();
          sent.destroy();
        }
      });
      response.on('end', end);
      response.on('error', reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A kept connection can close while the next request is on its way: nobody has read that one.
      const isUnread = sent.reusedSocket && error.code === 'ECONNRESET' && !isAnswered;
      if (isUnread) {
        resolve(send(url, method, headers, body, isEnough));
      } else {
        reject(error);
      }
    });
    sent.end(body);
  });
}

async function serve(
  server: ApiServer,
  path: string,
  method: string,
  headers: Record<string, string | string[]>,
  body: string,
): Promise<Answer> {
  const answer = await server.serve({ method, path, headers: headers as Record<string, string>, body });
  const warning = answer.headers['Warning'];
  return {
    code: answer.code,
    text: answer.body,
    warning: Array.isArray(warning) ? warning.join(', ') : warning?.toString(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.split('\n').filter((line) => line !== '');
    // A watch is a line of JSON for each event.
    return lines.every((line) => line.startsWith('{'))
      ? lines.map((line): unknown => JSON.parse(line))
      : text;
  }
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const version = /(resourceVersion\\":\\"|ResourceVersion in record \()\d+/g;
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const age = /^\d+s$/;
/** Not compared: prose, and who wrote which field. */
const left = new Set(['description', 'managedFields']);

export function normalise(value: unknown, namespace: string, without: ReadonlySet<string> = left): unknown {
  if (typeof value === 'string') {
    if (age.test(value)) {
      return '<age>';
    }
    return value
      .replaceAll(namespace, '<ns>')
      .replace(uid, '<uid>')
      .replace(time, '<time>')
      .replace(token, '<token>')
      .replace(version, '$1<version>')
      .replace(/,\\"managedFields\\":\[.*?\}\]/g, '');
  }
  if (Array.isArray(value)) {
    return value.map((item) => normalise(item, namespace, without));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !without.has(key))
      .map(([key, item]: [string, unknown]) =>
        (key === 'resourceVersion' || key === 'continue') && typeof item === 'string' && item !== ''
          ? [key, `<${key}>`]
          : [key, normalise(item, namespace, without)],
      ),
  );
}

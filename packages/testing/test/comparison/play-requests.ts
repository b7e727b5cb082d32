import { sortManagers } from '../../../apiserver/test/recorded/managed-fields-replay.ts';
import { type Endpoint, normalise, replay } from '../../../apiserver/test/recorded/replay.ts';

/* Plays a sequence of random-requests.ts on one server, and gives all that a client could see of it. */

/** Each with an object that is made last of all, so that a watch which shows it has shown everything. */
const collections = {
  $CONFIGMAPS: {},
  $CLAIMS: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  $SETS: {
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    },
  },
  $PODS: { spec: { containers: [{ name: 'c', image: 'i' }] } },
  $LEASES: {},
  $SECRETS: {},
};
/** With labels that every selector of random-requests.ts selects. */
const last = { name: 'last-of-all', labels: { x: '1', y: '1' } };
const isWhole = (text: string): boolean => text.endsWith('\n') && text.includes(`"name":"${last.name}"`);
const hasInitialEvents = (text: string): boolean =>
  text.endsWith('\n') && text.includes('k8s.io/initial-events-end');

interface Seen {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * The answers to the requests, what watches showed, and what is there at the end. In a line stand, besides the names of
 * replay.ts, $UID and $VERSION for those of the line's object as it was seen last, $NOW for the version of right before,
 * $START for that of the beginning, $THEN for one between, and $CONTINUE for what the last page of the collection gave.
 * `WATCH` reads until the end of everything while the requests after it are sent.
 */
export async function play(
  requests: readonly string[],
  endpoint: Endpoint,
  namespace: string,
): Promise<unknown> {
  const objects = new Map<string, Seen>();
  const pages = new Map<string, string>();
  const versions: string[] = [];
  const ask = async (line: string, isEnough?: (text: string) => boolean): Promise<unknown> => {
    let text = '';
    const read = (whole: string): string => (text = whole);
    const { code, warning } = await replay(line, endpoint, namespace, read, '', isEnough);
    return { code, warning, body: parse(text) };
  };
  const resourceVersion = async (line: string): Promise<string> => {
    const { body } = (await ask(line)) as { body: { metadata: { resourceVersion: string } } };
    return body.metadata.resourceVersion;
  };
  const start = await resourceVersion('POST /api/v1/namespaces {"metadata":{"name":"$NS"}}');
  const fill = async (line: string): Promise<string> => {
    const path = pathOf(line);
    const { uid = 'none', resourceVersion: version = '1' } = objects.get(path) ?? {};
    const now = line.includes('$NOW') ? await resourceVersion('GET $CONFIGMAPS?limit=1') : '';
    return line
      .replaceAll('$UID', uid)
      .replaceAll('$VERSION', version)
      .replaceAll('$NOW', now)
      .replaceAll('$START', start)
      .replaceAll('$THEN', versions[versions.length >> 1] ?? start)
      .replaceAll('$CONTINUE', pages.get(path) ?? '');
  };
  const remember = (line: string, body: unknown): void => {
    const { metadata } = (body ?? {}) as { metadata?: Partial<Seen> & { name?: string; continue?: string } };
    const { uid, name, resourceVersion: version = '', continue: next = '' } = metadata ?? {};
    const path = pathOf(line);
    if (version !== '') {
      versions.push(version);
    }
    if (uid === undefined) {
      pages.set(path, next);
    } else {
      objects.set(path.endsWith(`/${name}`) ? path : `${path}/${name}`, { uid, resourceVersion: version });
    }
  };

  const answers: unknown[] = [];
  const watches: Promise<unknown>[] = [];
  for (const line of requests) {
    const filled = await fill(line);
    if (line.startsWith('WATCH')) {
      watches.push(ask(`GET${filled.slice('WATCH'.length)}&watch=1&timeoutSeconds=30`, isWhole));
      continue;
    }
    const answer = await ask(filled, line.includes('sendInitialEvents') ? hasInitialEvents : undefined);
    // A dry run answers with what never was, and with the version it was sent.
    if (!line.includes('dryRun')) {
      remember(line, (answer as { body: unknown }).body);
    }
    answers.push({ line, ...(answer as object) });
  }
  const made: unknown[] = [];
  for (const [path, more] of Object.entries(collections)) {
    made.push(await ask(`POST ${path} ${JSON.stringify({ metadata: last, ...more })}`));
  }
  const ends = await Promise.all(
    Object.keys(collections).map(async (path) => ({
      all: await ask(`GET ${path}`),
      // History is whole, so the events can be asked for when they are all there.
      events: await ask(`GET ${path}?watch=1&timeoutSeconds=30&resourceVersion=${start}`, isWhole),
    })),
  );
  return comparable({ answers, watches: await Promise.all(watches), made, ends }, namespace);
}

/** The path of a line as it was generated, without subresource and query. */
function pathOf(line: string): string {
  const [path = ''] = (line.split(' ')[1] ?? '').split('?');
  return path.replace(/\/(status|scale|binding|eviction)$/, '');
}

function parse(text: string): unknown {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length > 1 && lines.every((line) => line.startsWith('{'))
    ? lines.map((line): unknown => JSON.parse(line))
    : JSON.parse(text === '' ? 'null' : text);
}

function comparable(value: unknown, namespace: string): unknown {
  const seen = { versions: new Set<number>(), uids: new Set<string>() };
  collect(value, seen);
  const versions = [...seen.versions].sort((a, b) => a - b);
  const uids = [...seen.uids];
  const numbered = map(value, (metadata) => ({
    ...metadata,
    order: versions.indexOf(Number(metadata.resourceVersion)),
    identity: uids.indexOf(metadata.uid),
  }));
  return withoutRepeatedCauses(sortManagers(normalise(numbered, namespace, new Set(['description']))));
}

/** Servers give out numbers of their own, but in one order: which object is which, and which state came before which. */
function collect(value: unknown, seen: { versions: Set<number>; uids: Set<string> }): void {
  map(value, (metadata) => {
    seen.versions.add(Number(metadata.resourceVersion));
    seen.uids.add(metadata.uid);
    return metadata;
  });
}

/** Changes the metadata of all objects. */
function map(value: unknown, change: (metadata: Seen) => Seen): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => map(item, change));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      key === 'metadata' && isOfObject(item) ? change(item) : map(item, change),
    ]),
  );
}

function isOfObject(metadata: unknown): metadata is Seen {
  return typeof metadata === 'object' && metadata !== null && 'uid' in metadata;
}

/** The embedded server knowingly differs in how often one cause is repeated. */
function withoutRepeatedCauses(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutRepeatedCauses);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      if (key !== 'causes' || !Array.isArray(item)) {
        return [key, withoutRepeatedCauses(item)];
      }
      const causes = [...new Set(item.map((cause) => JSON.stringify(cause)))];
      return [key, causes];
    }),
  );
}

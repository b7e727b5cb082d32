import { setTimeout } from 'node:timers/promises';
import { type Endpoint, replay } from '../../../apiserver/test/recorded/replay.ts';
import { type Answer, type Played, comparable } from './comparable.ts';
import type { Fields } from './random-kind.ts';
import type { Sequence } from './random-requests.ts';

/* Plays a sequence of random-requests.ts on one server, and gives all that a client could see of it. */

/** With labels that every selector of random-requests.ts selects. */
const last = { name: 'last-of-all', labels: { x: '1', y: '1' } };
/** Reading ends long before, but on a machine that has much else to do. */
const watchSeconds = 120;
const isWhole = (text: string): boolean => text.endsWith('\n') && text.includes(`"name":"${last.name}"`);
const hasInitialEvents = (text: string): boolean =>
  text.endsWith('\n') && text.includes('k8s.io/initial-events-end');

interface Seen {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Sends a line, and reads no further than what is enough. */
type Ask = (line: string, isEnough?: (text: string) => boolean) => Promise<Answer>;

/**
 * The answers to the requests, what watches showed, and what is there at the end. In a line stand, besides the names of
 * replay.ts, $UID and $VERSION for those of the line's object as it was seen last, $NOW for the version of right
 * before, $START for that of the beginning, $THEN for one between, $CONTINUE for what the last page of the collection
 * gave, and $INDEX for the number of the line. `WATCH` reads until the end of everything while the requests after it
 * are sent, `AS:NAME` sends what follows as another user, and `TRY:` makes it one whose refusal is not promised.
 */
export async function play(
  { definition, kinds, requests }: Sequence,
  endpoint: Endpoint,
  namespace: string,
): Promise<Played> {
  const objects = new Map<string, Seen>();
  const pages = new Map<string, string>();
  const versions: string[] = [];
  const ask: Ask = async (line, isEnough) => {
    let text = '';
    const read = (whole: string): string => (text = whole);
    const [, name, sent = line.replace(/^TRY:/, '')] = /^AS:(\S*) (.*)$/s.exec(line) ?? [];
    const headers = name === undefined ? {} : { 'impersonate-user': name.replaceAll('$NS', namespace) };
    const { code, warning } = await replay(sent, { ...endpoint, headers }, namespace, read, '', isEnough);
    return { code, warning, body: parse(text) };
  };
  const resourceVersion = async (line: string): Promise<string> => {
    const { body } = (await ask(line)) as { body: { metadata: { resourceVersion: string } } };
    return body.metadata.resourceVersion;
  };
  let start = await resourceVersion('POST /api/v1/namespaces {"metadata":{"name":"$NS"}}');
  const fill = async (line: string, index: number): Promise<string> => {
    const path = pathOf(line);
    const { uid = 'none', resourceVersion: version = '1' } = objects.get(path) ?? {};
    const now = line.includes('$NOW') ? await resourceVersion('GET $CONFIGMAPS?limit=1') : '';
    return line
      .replaceAll('$UID', uid)
      .replaceAll('$INDEX', String(index).padStart(2, '0'))
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

  const defined = definition === undefined ? undefined : await define(definition, ask);
  if (definition !== undefined) {
    // The real server's history of a kind begins with its definition.
    start = await resourceVersion('GET $CONFIGMAPS?limit=1');
  }
  const answers: { readonly line: string; readonly answer: Answer }[] = [];
  const watches: Promise<Answer>[] = [];
  for (const [index, line] of requests.entries()) {
    const filled = await fill(line, index);
    if (line.startsWith('WATCH')) {
      watches.push(ask(`GET${filled.slice('WATCH'.length)}&watch=1&timeoutSeconds=${watchSeconds}`, isWhole));
      continue;
    }
    const answer = await ask(filled, line.includes('sendInitialEvents') ? hasInitialEvents : undefined);
    // A dry run answers with what never was, and with the version it was sent.
    if (!line.includes('dryRun')) {
      remember(line, answer.body);
    }
    answers.push({ line, answer });
  }
  const listed = kinds.filter((kind) => !kind.isInNoNamespace && !kind.isNeverStored);
  const made: unknown[] = [];
  for (const { apiVersion, kind, path, least } of listed) {
    made.push(await ask(`POST ${path} ${JSON.stringify({ apiVersion, kind, ...least, metadata: last })}`));
  }
  const ends = await Promise.all(
    listed.map(async ({ path }) => ({
      all: await ask(`GET ${path}`),
      // History is whole, so the events can be asked for when they are all there.
      events: await ask(
        `GET ${path}?watch=1&timeoutSeconds=${watchSeconds}&resourceVersion=${start}`,
        isWhole,
      ),
    })),
  );
  const seen = { watches: await Promise.all(watches), made, ends };
  if (definition !== undefined) {
    await ask(`DELETE ${pathOfDefinition(definition)}`);
  }
  return comparable({ defined, answers, ...seen }, namespace);
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function pathOfDefinition({ metadata }: Fields): string {
  return `${definitions}/${(metadata as { name: string }).name}`;
}

/** Resolves when objects of the kind can be created, and watched from now on. */
async function define(definition: Fields, ask: Ask): Promise<Answer> {
  const answer = await ask(`POST ${definitions} ${JSON.stringify(definition)}`);
  if (answer.code !== 201) {
    return answer;
  }
  const { group, names, versions } = definition['spec'] as {
    group: string;
    names: { plural: string };
    versions: { name: string }[];
  };
  const watched =
    'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=10';
  for (const { name } of versions) {
    const path = `/apis/${group}/${name}/${names.plural}`;
    // Nothing tells when the real server has begun to serve a version, nor when the cache that its watches begin with
    // is there.
    while (
      (await ask(`GET ${path}`)).code !== 200 ||
      (await ask(`GET ${path}?${watched}`, hasInitialEvents)).code !== 200
    ) {
      await setTimeout(10);
    }
  }
  return answer;
}

/** The path of a line as it was generated, without subresource and query. */
function pathOf(line: string): string {
  const [path = ''] = (line.split(' ')[1] ?? '').split('?');
  return path.replace(/\/(status|scale|binding|eviction)$/, '');
}

function parse(text: string): unknown {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > 1 && lines.every((line) => line.startsWith('{'))) {
    return lines.map((line): unknown => JSON.parse(line));
  }
  // What there is no handler for is answered in plain text.
  return /^[{[]/.test(text) ? (JSON.parse(text) as unknown) : text;
}

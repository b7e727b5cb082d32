import { type StatusError, badRequest, expired, tooLargeResourceVersion } from '../meta/status-error.ts';
import { convertedEntries } from '../resources/converted-entries.ts';
import { type ResourceDefinition, keyspaceOf } from '../resources/resource-definition.ts';
import { type Entry, type Storage, CompactedError } from '../storage/storage.ts';
import type { ListOptions } from './list-options.ts';
import type { ServerState } from './server-state.ts';

export interface Page {
  readonly entries: readonly Entry[];
  /** Undefined for kinds that are not stored. */
  readonly revision: number | undefined;
  readonly continueToken: string;
  /** Undefined if unknown (selectors) or if nothing remains. */
  readonly remaining: number | undefined;
}

/** How long a request for a future revision waits for it, as in the watch cache. Milliseconds. */
const freshnessTimeout = 3000;

/** Returns one page of a list at the requested revision. Throws 400, 410, 504. */
export async function listPage(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  options: ListOptions,
): Promise<Page> {
  const { storage } = server;
  const keyspace = keyspaceOf(definition);
  const within = namespace === '' ? undefined : namespace;

  if (options.continueToken !== '') {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = parseToken(options.continueToken);
    // A token without a revision, such as a 410 contains, continues in the latest state.
    const revision = token.revision < 0 ? storage.revision : token.revision;
    const entries = listAt(storage, keyspace, within, revision, () => expiredToken(token.start));
    return pageOf(definition, entries, revision, options, token.start, within);
  }

  const wanted = parseRevision(options.resourceVersion);
  if (wanted > 0) {
    await waitForRevision(server, wanted);
  }
  if (
    wanted > 0 &&
    (options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0))
  ) {
    const tooOld = (): StatusError => expired('The resourceVersion for the provided list is too old.');
    const entries = listAt(storage, keyspace, within, wanted, tooOld);
    return pageOf(definition, entries, wanted, options, '', within);
  }
  // For resourceVersion 0 (any version) the real server returns the whole list from its watch cache, whatever
  // the limit.
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  return pageOf(
    definition,
    storage.list(keyspace, within),
    storage.revision,
    { ...options, limit },
    '',
    within,
  );
}

function listAt(
  storage: Storage,
  keyspace: string,
  namespace: string | undefined,
  revision: number,
  compacted: () => StatusError,
): readonly Entry[] {
  try {
    return storage.list(keyspace, namespace, revision);
  } catch (error) {
    throw error instanceof CompactedError ? compacted() : error;
  }
}

/** Parses the resourceVersion of a list or get; 0 stands for none. Throws 400. */
export function parseRevision(text: string): number {
  if (text === '') {
    return 0;
  }
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
    );
  }
  return Number(text);
}

/** Waits until the revision is reached. Throws 504 if that takes too long. */
export async function waitForRevision({ storage, after }: ServerState, wanted: number): Promise<void> {
  if (storage.revision >= wanted) {
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const timer = after(freshnessTimeout, () => {
      unsubscribe();
      reject(tooLargeResourceVersion(wanted, storage.revision));
    });
    const unsubscribe = storage.subscribe(undefined, ({ revision }) => {
      if (revision >= wanted) {
        unsubscribe();
        timer.cancel();
        resolve();
      }
    });
  });
}

/** Makes a page of stored entries. They are filtered in the definition's form. */
function pageOf(
  definition: ResourceDefinition,
  entries: readonly Entry[],
  ...rest: RestOfPage
): Page | Promise<Page> {
  return definition.askedConversion === undefined
    ? page(entries, ...rest)
    : convertedEntries(definition, entries).then((converted) => page(converted, ...rest));
}

type RestOfPage = Parameters<typeof page> extends [unknown, ...infer Rest] ? Rest : never;

function page(
  all: readonly Entry[],
  revision: number,
  { limit, selects }: Pick<ListOptions, 'limit' | 'selects'>,
  start: string,
  namespace: string | undefined,
): Page {
  const keyOf = (entry: Entry): string =>
    namespace !== undefined || entry.namespace === ''
      ? `/${entry.name}`
      : `/${entry.namespace}/${entry.name}`;
  let index = 0;
  if (start !== '') {
    while (index < all.length && keyOf(all[index] as Entry) < start) {
      index++;
    }
  }
  if (limit === 0) {
    const rest = index === 0 ? all : all.slice(index);
    const entries = selects === undefined ? rest : rest.filter((entry) => selects(entry.object));
    return { entries, revision, continueToken: '', remaining: undefined };
  }
  const entries: Entry[] = [];
  for (; index < all.length && entries.length < limit; index++) {
    const entry = all[index];
    if (entry !== undefined && (selects === undefined || selects(entry.object))) {
      entries.push(entry);
    }
  }
  const last = all[index - 1];
  if (index >= all.length || last === undefined) {
    return { entries, revision, continueToken: '', remaining: undefined };
  }
  return {
    entries,
    revision,
    continueToken: formatToken(revision, `${keyOf(last)}\0`),
    remaining: selects === undefined ? all.length - index : undefined,
  };
}

function formatToken(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

function parseToken(token: string): { readonly revision: number; readonly start: string } {
  const problem = (detail: string): Error =>
    badRequest(`invalid continue token: continue key is not valid: ${detail}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    const first = Buffer.from(token, 'base64url').toString('utf8').charAt(0);
    throw problem(`invalid character '${first}' looking for beginning of value`);
  }
  if (typeof parsed !== 'object' || parsed === null || !('rv' in parsed) || !('start' in parsed)) {
    throw problem('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  const { rv, start } = parsed;
  if (typeof rv !== 'number' || typeof start !== 'string' || start === '') {
    throw problem('encoded start key empty (version meta.k8s.io/v1)');
  }
  return { revision: rv, start };
}

const expiredTokenMessage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function expiredToken(start: string): StatusError {
  const error = expired(expiredTokenMessage);
  error.status.metadata = { continue: formatToken(-1, start) };
  return error;
}

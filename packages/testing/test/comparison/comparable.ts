import { sortManagers } from '../../../apiserver/test/recorded/managed-fields-replay.ts';
import { normalise } from '../../../apiserver/test/recorded/replay.ts';

/*
 * What of a server's answers is the same on every server: without what each chooses by itself (versions, UIDs, times,
 * the ends of names), and without what packages/apiserver/README.md says to be otherwise.
 */

export interface Answer {
  readonly code: number;
  readonly warning: string | undefined;
  readonly body: unknown;
}

/** What a client could see. */
export interface Played {
  /** Of a kind of one's own: the answer to its definition. */
  readonly defined: Answer | undefined;
  readonly answers: readonly { readonly line: string; readonly answer: Answer }[];
  readonly watches: readonly Answer[];
  readonly made: unknown;
  readonly ends: unknown;
}

interface Identified {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** With numbers in place of versions and UIDs: servers give out their own, but in one order. */
export function comparable(played: Played, namespace: string): Played {
  const value = {
    ...played,
    answers: played.answers.map(({ line, answer }) => ({ line, answer: withoutStaleWarning(answer) })),
    watches: played.watches.map(withoutColumns),
  };
  const seen = { versions: new Set<number>(), uids: new Set<string>() };
  // What one server alone takes of a try is never there.
  collect({ ...value, answers: value.answers.filter(({ line }) => !line.startsWith('TRY:')) }, seen);
  const versions = [...seen.versions].sort((a, b) => a - b);
  const uids = [...seen.uids];
  const numbered = map(value, (metadata) => ({
    ...metadata,
    order: versions.indexOf(Number(metadata.resourceVersion)),
    identity: uids.indexOf(metadata.uid),
  }));
  const names = (text: string): string =>
    withSortedLines(
      withSortedFields(text)
        .replace(generated, '$1-<generated>')
        .replace(found, '$1<found>')
        .replace(asked, '$1<version>')
        .replace(diff, '\n<diff>')
        .replace(issuer, '$1')
        .replace(allowing, '$1<discovery>')
        .replace(missingRoles, 'RBAC: <missing roles>'),
    );
  const plain = normalise(withoutUnpromised(numbered), namespace, new Set(['description']));
  const named = mapTexts(withSortedLists(sortManagers(withoutOrderOfHolds(plain))), names);
  return withoutOrderOfErrors(withoutRepeatedCauses(named)) as Played;
}

/**
 * Servers give out numbers of their own, but in one order: which object is which, and which state came before which.
 */
function collect(value: unknown, seen: { versions: Set<number>; uids: Set<string> }): void {
  map(value, (metadata) => {
    seen.versions.add(Number(metadata.resourceVersion));
    seen.uids.add(metadata.uid);
    return metadata;
  });
}

/** Changes the metadata of all objects. */
function map(value: unknown, change: (metadata: Identified) => Identified): unknown {
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

function isOfObject(metadata: unknown): metadata is Identified {
  return typeof metadata === 'object' && metadata !== null && 'uid' in metadata;
}

/**
 * Managers, whose fields the real server gives by name for custom kinds, and the rules of a review, which it finds in
 * any order.
 */
const unordered: readonly string[] = ['managedFields', 'resourceRules', 'nonResourceRules'];

function withSortedLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withSortedLists);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      unordered.includes(key) && Array.isArray(item)
        ? item.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
        : withSortedLists(item),
    ]),
  );
}

/** The real server gives the finalizers of a namespace that is deleted in the order of a map. */
function withoutOrderOfHolds(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutOrderOfHolds);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const { kind, metadata } = value as { kind?: unknown; metadata?: { finalizers?: readonly string[] } };
  return kind === 'Namespace' && metadata?.finalizers !== undefined
    ? { ...value, metadata: { ...metadata, finalizers: metadata.finalizers.toSorted() } }
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutOrderOfHolds(item)]));
}

/** As JSON, with the fields of all objects by name. */
function canonical(value: unknown): string {
  const byName = (_: string, item: unknown): unknown =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item;
  return JSON.stringify(value, byName);
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

/**
 * The real server tries a write on what its cache has, which can be an object that is just deleted: then it warns of
 * what it will not write, and finds nothing there afterwards.
 */
function withoutStaleWarning(answer: Answer): Answer {
  return answer.code === 404 ? { ...answer, warning: undefined } : answer;
}

/** Which events of a watch begin with the columns depends on what the real server has sent when. */
function withoutColumns(watched: Answer): Answer {
  const withoutThem = (event: unknown): unknown => {
    const { object, ...rest } = event as { readonly object: object };
    return { ...rest, object: { ...object, columnDefinitions: undefined } };
  };
  const { body } = watched;
  return { ...watched, body: Array.isArray(body) ? body.map(withoutThem) : body };
}

/** Several errors of one object, of which one or the other is said first, and conflicts with several managers. */
function withoutOrderOfErrors(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutOrderOfErrors);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const { reason, details } = value as { reason?: unknown; details?: { causes?: readonly string[] } | null };
  const { causes = [] } = details ?? {};
  if (reason === 'Conflict' && causes.length > 1) {
    // Whose conflicts come first in the causes is chance in the real server; the message has them by their managers.
    return { ...value, details: { ...details, causes: causes.toSorted() } };
  }
  return reason === 'Invalid' && causes.length > 1
    ? { ...value, message: '<several>', details: { ...details, causes: causes.toSorted() } }
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutOrderOfErrors(item)]));
}

/** The end of a name that a server made of a line's generateName. */
const generated = /\b(g\d\d)-[a-z0-9]{5}\b/g;

/** The address that a server has found for a service. */
const found = /(IPAddress\.networking\.k8s\.io )"[\d.]+"/g;

/** The version that was sent, and that of the object, which each server had given out. */
const asked =
  /(the ResourceVersion in (?:the )?precondition \(|ResourceVersion in (?:precondition|object meta): )\d+/g;

/** How a refused change differs, as Go prints the structs. */
const diff = /\n@@ [^]*/;

/** Two roles allow everybody to ask for the version: the real server finds the one or the other first. */
const allowing =
  /(RBAC: allowed by ClusterRoleBinding )"system:(?:discovery|public-info-viewer)" of ClusterRole "[^"]*"/g;

/**
 * Which bindings in the whole cluster name roles that are not there depends on the sequences beside this one, and their
 * order is any.
 */
const missingRoles = /RBAC: (\[?(, )?(cluster)?role\.rbac\.authorization\.k8s\.io "[^"]*" not found)+\]?/g;

/** The real planes have another issuer of tokens. */
const issuer = /(https:\/\/kubernetes\.default\.svc)\.cluster\.local/g;

/** So it is with fields that a kind does not have. */
function withSortedFields(text: string): string {
  return text.replace(/unknown field "[^"]*"(, unknown field "[^"]*")+/g, (fields) =>
    fields.split(', ').toSorted().join(', '),
  );
}

/** Of what keeps a configuration from being applied, the real server says one or the other first. */
function withSortedLines(text: string): string {
  const [head = '', ...problems] = text.split('\n  ');
  return head.endsWith(': errors:') ? [head, ...problems.toSorted()].join('\n  ') : text;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapTexts(item, change));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]))
    : value;
}

/** Annotations by which the real server keeps, in one version of a kind, what only another has. */
const ofOtherVersions =
  /^(deprecated\.daemonset\.template\.generation|(f:)?autoscaling\.alpha\.kubernetes\.io\/)/;

/** Without such annotations, those who own them, and warnings of what the embedded server does not do. */
function withoutUnpromised(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutUnpromised);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const kept: Record<string, unknown> = {};
  const isReview =
    'kind' in value && typeof value.kind === 'string' && /^TokenRequest$|Review$/.test(value.kind);
  for (const [key, item] of Object.entries(value)) {
    if (ofOtherVersions.test(key)) {
      continue;
    }
    const rest = withoutUnpromised(
      isReview && key === 'metadata' ? { ...item, managedFields: undefined } : item,
    );
    const isEmptied = isBare(rest) && (!isBare(item) || key === 'f:annotations');
    if (!isEmptied) {
      kept[key] = key === 'warning' && typeof rest === 'string' ? sortedWarnings(rest) : rest;
    }
  }
  return kept;
}

/**
 * Of several, the real server says one or the other first; that nobody mutates by an object is said by the embedded one
 * alone.
 */
function sortedWarnings(header: string): string | undefined {
  const warnings = header.split(/, (?=299 - )/).filter((text) => !text.includes('does not mutate by it'));
  return warnings.length === 0 ? undefined : warnings.toSorted().join(', ');
}

/** An object without fields, or a field set of nothing but itself. */
function isBare(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).every((key) => key === '.');
}

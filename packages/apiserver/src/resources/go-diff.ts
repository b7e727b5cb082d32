import { append } from '../meta/append.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { isGivenEmpty } from '../schema/decode.ts';
import { type FieldSchema, type FieldType, structSchema } from '../schema/schema.ts';

/*
 * Formats the difference of two specs as the API server prints it below "is immutable": with Go's field
 * names, and three lines of context around each change. Clients show this text to people.
 */

export function goDiff(before: Json, after: Json, struct: string, fields?: readonly string[]): string {
  const lines = (value: Json): string[] =>
    JSON.stringify(goValue(isObject(value) ? value : {}, struct, fields), null, 1).split('\n');
  return unified(lines(before), lines(after));
}

/** A struct with Go's field names, as validation messages print it. `only` limits the fields. */
export function goValue(value: JsonObject, struct: string, only?: readonly string[]): JsonObject {
  const shown = structSchema(struct).fields.filter((field) => only?.includes(field.name) ?? true);
  const entries = shown.flatMap((field): [string, Json][] => {
    const item = value[field.name];
    // The metadata of a template is embedded in its struct, and its fields keep their JSON names.
    return field.type.kind === 'struct' && field.type.name === 'meta.v1.ObjectMeta'
      ? Object.entries(isObject(item) ? item : {}).flatMap(([name, part]) =>
          part === undefined || part === null ? [] : [[name, part]],
        )
      : [[goName(field.name), goShape(item ?? givenEmpty(value, field), field.type)]];
  });
  return Object.fromEntries(only === undefined ? asInternal(entries, struct) : entries);
}

/** What was sent as an empty list or map is none of nil, which a missing one is. */
function givenEmpty(value: JsonObject, { name, type }: FieldSchema): Json | undefined {
  return isGivenEmpty(value, name) ? (type.kind === 'list' ? [] : {}) : undefined;
}

const movedIntoSecurityContext = ['HostNetwork', 'HostPID', 'HostIPC', 'ShareProcessNamespace', 'HostUsers'];

/** Moves fields to their places in the server's internal types, which are the ones that it compares. */
function asInternal(entries: readonly [string, Json][], struct: string): readonly [string, Json][] {
  switch (struct) {
    case 'core.v1.PodSpec': {
      const moved = entries.filter(([name]) => movedIntoSecurityContext.includes(name));
      const kept = entries
        .filter(([name]) => !movedIntoSecurityContext.includes(name) && name !== 'ServiceAccount')
        .map(([name, value]): [string, Json] =>
          name === 'SecurityContext'
            ? [name, { ...Object.fromEntries(moved), ...(isObject(value) ? value : {}) }]
            : [name, value],
        );
      return inOrder(kept, [
        ['Subdomain', 'SetHostnameAsFQDN'],
        ['Priority', 'PreemptionPolicy'],
        ['RuntimeClassName', 'Overhead'],
        ['Overhead', 'EnableServiceLinks'],
      ]);
    }
    case 'core.v1.PodSecurityContext':
      return inOrder(entries, [['FSGroup', 'FSGroupChangePolicy']]);
    case 'core.v1.Volume': {
      const quobyte = entries.filter(([name]) => name === 'Quobyte');
      return entries
        .filter(([name]) => name !== 'Quobyte')
        .flatMap((entry) => (entry[0] === 'RBD' ? [entry, ...quobyte] : [entry]));
    }
    default:
      return entries;
  }
}

/** Moves fields directly behind others. */
function inOrder(
  entries: readonly [string, Json][],
  pairs: readonly (readonly [before: string, name: string])[],
): readonly [string, Json][] {
  return pairs.reduce((ordered, [before, name]) => {
    const moved = ordered.filter(([each]) => each === name);
    return ordered
      .filter(([each]) => each !== name)
      .flatMap((entry) => (entry[0] === before ? [entry, ...moved] : [entry]));
  }, entries);
}

function goShape(value: Json | undefined, type: FieldType): Json {
  switch (type.kind) {
    case 'pointer':
      return value === undefined || value === null ? null : goShape(value, type.of);
    case 'struct': {
      const source = isObject(value) ? value : {};
      // All versions share the types of meta/v1, whose fields keep their JSON names.
      return type.name.startsWith('meta.') ? source : goValue(source, type.name);
    }
    case 'list':
      return Array.isArray(value) ? value.map((item) => goShape(item, type.of)) : null;
    case 'map':
      return isObject(value)
        ? // Go prints maps ordered by key.
          Object.fromEntries(
            Object.entries(value)
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, item]) => [key, goShape(item, type.of)]),
          )
        : null;
    case 'string':
      return value ?? '';
    case 'bool':
      return value ?? false;
    case 'int32':
    case 'int64':
      return value ?? 0;
    default:
      return value ?? null;
  }
}

const initialisms: Readonly<Record<string, string>> = {
  ip: 'IP',
  uid: 'UID',
  apiVersion: 'APIVersion',
  apiGroup: 'APIGroup',
  apiGroups: 'APIGroups',
  tty: 'TTY',
  fsGroup: 'FSGroup',
  fsGroupChangePolicy: 'FSGroupChangePolicy',
  seLinuxChangePolicy: 'SELinuxChangePolicy',
  seLinuxOptions: 'SELinuxOptions',
  dnsPolicy: 'DNSPolicy',
  dnsConfig: 'DNSConfig',
  os: 'OS',
  setHostnameAsFQDN: 'SetHostnameAsFQDN',
  hostPID: 'HostPID',
  hostIPC: 'HostIPC',
  gcePersistentDisk: 'GCEPersistentDisk',
  awsElasticBlockStore: 'AWSElasticBlockStore',
  cephfs: 'CephFS',
  csi: 'CSI',
  cel: 'CEL',
  nfs: 'NFS',
  iscsi: 'ISCSI',
  fc: 'FC',
  rbd: 'RBD',
  storageos: 'StorageOS',
};

function goName(name: string): string {
  const known = initialisms[name];
  if (known !== undefined) {
    return known;
  }
  return (name.charAt(0).toUpperCase() + name.slice(1)).replace(/^FsType$/, 'FSType');
}

const context = 3;

/** An unchanged stretch of two texts: where it begins in each, and its length. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/**
 * Unified hunks with three lines of context. Matches are found as in Python's difflib, which the Go library
 * copies.
 */
function unified(a: readonly string[], b: readonly string[]): string {
  const matches = [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }];
  const hunks: { fromA: number; toA: number; fromB: number; toB: number; lines: string[] }[] = [];
  let atA = 0;
  let atB = 0;
  for (const match of matches) {
    if (match.a > atA || match.b > atB) {
      const before = Math.min(context, atA, atB);
      const last = hunks.at(-1);
      const isNear = last !== undefined && atA - last.toA <= context;
      const hunk = isNear
        ? last
        : { fromA: atA - before, toA: atA - before, fromB: atB - before, toB: atB - before, lines: [] };
      if (!isNear) {
        hunks.push(hunk);
      }
      append(
        hunk.lines,
        a.slice(hunk.toA, atA).map((line) => ` ${line}`),
      );
      append(
        hunk.lines,
        a.slice(atA, match.a).map((line) => `-${line}`),
      );
      append(
        hunk.lines,
        b.slice(atB, match.b).map((line) => `+${line}`),
      );
      const after = Math.min(context, match.size);
      append(
        hunk.lines,
        a.slice(match.a, match.a + after).map((line) => ` ${line}`),
      );
      hunk.toA = match.a + after;
      hunk.toB = match.b + after;
    }
    atA = match.a + match.size;
    atB = match.b + match.size;
  }
  const shown = hunks.map(
    ({ fromA, toA, fromB, toB, lines }) =>
      `@@ -${fromA + 1},${toA - fromA} +${fromB + 1},${toB - fromB} @@\n${lines.join('\n')}\n`,
  );
  return shown.join('');
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Match[] {
  const places = new Map<string, number[]>();
  b.forEach((line, index) => {
    const known = places.get(line);
    if (known === undefined) {
      places.set(line, [index]);
    } else {
      known.push(index);
    }
  });
  const between = (fromA: number, toA: number, fromB: number, toB: number): Match[] => {
    let best: Match = { a: fromA, b: fromB, size: 0 };
    let lengths = new Map<number, number>();
    for (let i = fromA; i < toA; i++) {
      const next = new Map<number, number>();
      for (const j of places.get(a[i] ?? '') ?? []) {
        if (j < fromB || j >= toB) {
          continue;
        }
        const size = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, size);
        if (size > best.size) {
          best = { a: i - size + 1, b: j - size + 1, size };
        }
      }
      lengths = next;
    }
    if (best.size === 0) {
      return [];
    }
    return [
      ...between(fromA, best.a, fromB, best.b),
      best,
      ...between(best.a + best.size, toA, best.b + best.size, toB),
    ];
  };
  // Join adjacent blocks.
  return between(0, a.length, 0, b.length).reduce<Match[]>((joined, match) => {
    const last = joined.at(-1);
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b) {
      joined[joined.length - 1] = { ...last, size: last.size + match.size };
    } else {
      joined.push(match);
    }
    return joined;
  }, []);
}

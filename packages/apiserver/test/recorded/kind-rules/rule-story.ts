import type { JsonObject } from '../../../src/meta/json.ts';
import { applyMergePatch } from '../../../src/patch/merge-patch.ts';
import type { Fields } from '../kind-requests.ts';

/*
 * The rules of a kind, by an object that is right: what becomes of it when one thing is otherwise. Refusals are answers
 * as well.
 */

export interface RuleStory {
  /** Without the name. */
  readonly collection: string;
  /** Of the object. Default "a". */
  readonly name?: string;
  /** Besides metadata. */
  readonly right: Fields;
  /** Merged into that for the one that is stored. */
  readonly stored?: Fields;
  /** A new server has the object that is changed, and keeps it. Default: it is created and deleted. */
  readonly isThere?: boolean;
  /** Merged into the right object, each into one of its own, and created by a dry run. */
  readonly creates?: readonly Fields[];
  /** Merged by PATCH into the right object as it is stored, one after the other. */
  readonly updates?: readonly Fields[];
  /** Merged by PATCH of its subresource status, one after the other, before the updates. */
  readonly statuses?: readonly Fields[];
  /** Merged by PATCH of its other subresources, each of which is named, before the statuses. */
  readonly parts?: readonly (readonly [part: string, fields: Fields])[];
}

export function requestsOf({
  collection,
  name = 'a',
  right,
  stored = {},
  isThere = false,
  creates = [],
  updates = [],
  statuses = [],
  parts = [],
}: RuleStory): readonly string[] {
  const object = `${collection}/${name}`;
  const post = (fields: Fields, query = ''): string => `POST ${collection}${query} ${JSON.stringify(fields)}`;
  const named = { metadata: { name }, ...right };
  const merged = (fields: Fields): Fields => applyMergePatch(named, fields as JsonObject);
  return [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    ...creates.map((fields) => post(merged(fields), '?dryRun=All')),
    ...(isThere ? [] : [post(merged(stored))]),
    ...parts.map(([part, fields]) => `PATCH:merge ${object}/${part} ${JSON.stringify(fields)}`),
    ...statuses.map((fields) => `PATCH:merge ${object}/status ${JSON.stringify(fields)}`),
    ...updates.map((fields) => `PATCH:merge ${object} ${JSON.stringify(fields)}`),
    ...(isThere ? [] : [`DELETE ${object}`]),
  ];
}

import type { WatchEvent } from '../http/answer.ts';
import type { ResponseForm } from '../http/negotiation.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import type { Entry } from '../storage/storage.ts';
import type { Page } from './list-page.ts';
import { bookmarkObject } from './open-watch.ts';
import { answeredJson, servedItemJson, servedJson, storedObject } from './stored-form.ts';
import { type IncludeObject, partialMetadata, table, tableRow } from './table.ts';

/* Writes the JSON of objects, lists and watch events in the form that a client asks for. */

/** Writes an object that answers a write or a get, in the definition's served form. */
export function objectJson(
  definition: ResourceDefinition,
  object: KubeObject,
  form: ResponseForm,
  include: IncludeObject,
  now: number,
): string {
  switch (form.as) {
    case 'object':
      return answeredJson(object);
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return JSON.stringify(partialMetadata(definition, form.apiVersion, storedObject(definition, object)));
    case 'Table':
      return JSON.stringify(
        table(
          definition,
          form.apiVersion,
          [tableRow(definition, form.apiVersion, storedObject(definition, object), include, now)],
          versionOf(object),
        ),
      );
  }
}

function inRowOrder({ compareRows }: ResourceDefinition, entries: readonly Entry[]): readonly Entry[] {
  return compareRows === undefined ? entries : entries.toSorted((a, b) => compareRows(a.object, b.object));
}

/** A Table of objects that are not stored has no version. */
function versionOf({ metadata: { resourceVersion } }: KubeObject): JsonObject {
  return resourceVersion === undefined ? {} : { resourceVersion };
}

export function listJson(
  definition: ResourceDefinition,
  { entries, revision, continueToken, remaining }: Page,
  form: ResponseForm,
  include: IncludeObject,
  now: number,
): string {
  // Go has no type for the list of a custom kind, so no empty field is left out of it.
  const isWhole = definition.struct === undefined && form.as === 'object';
  const metadata: JsonObject = {
    ...(isWhole || continueToken !== '' ? { continue: continueToken } : undefined),
    ...(revision === undefined ? undefined : { resourceVersion: String(revision) }),
  };
  if (remaining !== undefined) {
    metadata['remainingItemCount'] = remaining;
  }
  switch (form.as) {
    case 'object': {
      const items = entries.map((entry) => servedItemJson(definition, entry));
      const head = JSON.stringify({
        kind: definition.listKind ?? `${definition.kind}List`,
        apiVersion: apiVersionOf(definition),
        metadata,
      });
      return `${head.slice(0, -1)},"items":[${items.join(',')}]}`;
    }
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return JSON.stringify({
        kind: 'PartialObjectMetadataList',
        apiVersion: form.apiVersion,
        metadata,
        // Go appends items to a nil slice, which stays null if there are none.
        items:
          entries.length === 0
            ? null
            : entries.map((entry) => partialMetadata(definition, form.apiVersion, entry.object)),
      });
    case 'Table':
      return JSON.stringify(
        table(
          definition,
          form.apiVersion,
          inRowOrder(definition, entries).map((entry) =>
            tableRow(definition, form.apiVersion, entry.object, include, now),
          ),
          metadata,
        ),
      );
  }
}

const sharedLines = new WeakMap<ResourceDefinition, WeakMap<Entry, Map<string, Buffer>>>();

/** The form in which the objects of a watch are written. */
export interface WatchFormat {
  readonly definition: ResourceDefinition;
  readonly form: ResponseForm;
  readonly include: IncludeObject;
}

/** Writes one line of a watch. Lines in the plain form are written once and shared among watchers. */
export function watchLine(format: WatchFormat, event: WatchEvent, isFirst: boolean, now: number): Buffer {
  const { definition, form, include } = format;
  if (event.type === 'ERROR') {
    return line('ERROR', JSON.stringify(event.status));
  }
  if (event.type === 'BOOKMARK') {
    const object = bookmarkObject(definition, event.revision, event.isInitialEventsEnd);
    const metadata: JsonObject = { resourceVersion: String(event.revision) };
    if (form.as === 'Table') {
      const rows = [tableRow(definition, form.apiVersion, storedObject(definition, object), include, now)];
      return line('BOOKMARK', JSON.stringify(table(definition, form.apiVersion, rows, metadata, isFirst)));
    }
    return line(
      'BOOKMARK',
      JSON.stringify(form.as === 'object' ? object : partialMetadata(definition, form.apiVersion, object)),
    );
  }
  const { entry } = event;
  switch (form.as) {
    case 'object': {
      const lines = linesOf(definition, entry);
      let shared = lines.get(event.type);
      if (shared === undefined) {
        lines.set(event.type, (shared = line(event.type, servedJson(definition, entry))));
      }
      return shared;
    }
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return line(event.type, JSON.stringify(partialMetadata(definition, form.apiVersion, entry.object)));
    case 'Table': {
      const metadata = { resourceVersion: entry.object.metadata.resourceVersion ?? '' };
      const rows = [tableRow(definition, form.apiVersion, entry.object, include, now)];
      return line(event.type, JSON.stringify(table(definition, form.apiVersion, rows, metadata, isFirst)));
    }
  }
}

/** Keyed by definition, too: if a kind is redefined, the same entry looks different. */
function linesOf(definition: ResourceDefinition, entry: Entry): Map<string, Buffer> {
  let byEntry = sharedLines.get(definition);
  if (byEntry === undefined) {
    sharedLines.set(definition, (byEntry = new WeakMap()));
  }
  let lines = byEntry.get(entry);
  if (lines === undefined) {
    byEntry.set(entry, (lines = new Map<string, Buffer>()));
  }
  return lines;
}

function line(type: string, json: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${json}}\n`);
}

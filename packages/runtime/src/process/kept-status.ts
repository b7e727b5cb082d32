import { isSameJson, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Projection } from '../wire/projection.ts';

/**
 * Checks that the cache keeps these fields of the status as they are to be written. A field that it drops looks absent,
 * so each write would test that it is absent, and be refused for ever once it is there; and it would never be removed.
 *
 * @throws Error that names a field that the cache drops, or of which it drops a part.
 */
export function checkKeepsStatus<T extends KubernetesObject>(
  { kind, plural }: ApiResource<T>,
  projection: Projection<T> | undefined,
  fields: object,
): void {
  if (projection === undefined) {
    return;
  }
  const keptOf = (status: object): ReadonlyMap<string, unknown> => {
    const metadata = { name: 'object', uid: '1', resourceVersion: '1' };
    const object = { kind, metadata, status } as KubernetesObject as T;
    const kept: object = (projection.fromJson(object) as { readonly status?: object }).status ?? {};
    return new Map<string, unknown>(Object.entries(kept));
  };
  const isNamed = (field: string): boolean => {
    try {
      return keptOf({ [field]: '' }).has(field);
    } catch {
      // It is to be something else than text.
      return true;
    }
  };
  // As the API server would send it back.
  const written = JSON.parse(JSON.stringify(fields)) as Readonly<Record<string, unknown>>;
  const kept = keptOf(written);
  const isKept = (name: string): boolean => {
    const value = written[name];
    // What is null, or removed, is absent from the cache in any case.
    return value === undefined || value === null ? isNamed(name) : isSameJson(kept.get(name), value);
  };
  const missing = Object.keys(fields).find((name) => !isKept(name));
  if (missing !== undefined) {
    throw new Error(
      `the cache of ${plural} does not keep status.${missing} whole, so that each write of it would be refused, and nothing would remove it; add it, with all its fields, to the projection`,
    );
  }
}

import { isSameJson, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Projection } from '../wire/projection.ts';

/**
 * Checks that the cache keeps these fields of the status as they are to be written. A field that it drops looks absent,
 * so each write would test that it is absent, and be refused for ever once it is there.
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
  // As the API server would send it back.
  const written = JSON.parse(JSON.stringify(fields)) as Readonly<Record<string, unknown>>;
  const metadata = { name: 'object', uid: '1', resourceVersion: '1' };
  const object = { kind, metadata, status: written } as KubernetesObject as T;
  const kept: object = (projection.fromJson(object) as { readonly status?: object }).status ?? {};
  const has = new Map<string, unknown>(Object.entries(kept));
  const missing = Object.keys(written).find((name) => !isSameJson(has.get(name), written[name]));
  if (missing !== undefined) {
    throw new Error(
      `the cache of ${plural} does not keep status.${missing} whole, so that the API server would refuse each write of it; add it, with all its fields, to the projection`,
    );
  }
}

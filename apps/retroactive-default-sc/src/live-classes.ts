import { storageClasses, type StorageClass } from '@holdfast/core';
import { listAny, type ApiClient, type Look } from '@holdfast/runtime';
import { slimStorageClass } from './slim.ts';

/** @returns a function that lists all classes at their newest state, in whatever shape. */
export function liveClasses(
  client: Pick<ApiClient, 'list' | 'listPages'>,
): (look: Look, signal: AbortSignal) => Promise<readonly StorageClass[]> {
  return async (look, signal) => {
    const classes: StorageClass[] = [];
    const options = { projection: slimStorageClass, look, signal };
    for await (const each of listAny(client, storageClasses, options)) {
      classes.push(each);
    }
    return classes;
  };
}

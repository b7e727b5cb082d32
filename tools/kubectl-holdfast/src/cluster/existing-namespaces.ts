import { namespaces } from '@holdfast/core';
import { listAll, type ApiClient } from '@holdfast/runtime';
import { unlessRefused } from './refused.ts';

/** Resolves with the names of all namespaces; undefined if they may not be listed. */
export function readNamespaces(
  client: Pick<ApiClient, 'listPages'>,
): Promise<ReadonlySet<string> | undefined> {
  const read = async (): Promise<ReadonlySet<string>> => {
    const names = new Set<string>();
    for await (const { metadata } of listAll(client, namespaces)) {
      names.add(metadata.name);
    }
    return names;
  };
  return unlessRefused(read());
}

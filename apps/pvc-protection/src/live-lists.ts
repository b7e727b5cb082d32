import { pods, volumeAttachments } from '@holdfast/core';
import { listAll, listAny, type ApiClient } from '@holdfast/runtime';
import type { LiveLookupOptions } from './live-lookup.ts';
import { slimPod, slimVolumeAttachment } from './slim.ts';

/**
 * Returns the lists of live lookups. An unreadable pod fails the list of its namespace, since it might use
 * any claim there.
 */
export function liveLists(
  client: Pick<ApiClient, 'list' | 'listPages'>,
): Pick<LiveLookupOptions, 'listPods' | 'listAttachments'> {
  return {
    listPods: (namespace, look) => listAll(client, pods, { namespace, projection: slimPod, look }),
    listAttachments: (look) => listAny(client, volumeAttachments, { projection: slimVolumeAttachment, look }),
  };
}

import { objectKey, type KubernetesObject } from '@holdfast/core';
import type { Priority, WakeQueue } from '@holdfast/runtime';

/** How many objects are woken in one turn of the event loop. */
const portion = 100;

/**
 * Wakes all of these, however many. They are queued in portions, so that the first need not wait until
 * thousands are queued behind it.
 */
export function wakeInPortions(
  queue: WakeQueue,
  objects: readonly KubernetesObject[],
  priority: Priority,
): void {
  for (const object of objects.slice(0, portion)) {
    queue.add(objectKey(object), priority);
  }
  if (objects.length > portion) {
    setImmediate(wakeInPortions, queue, objects.slice(portion), priority);
  }
}

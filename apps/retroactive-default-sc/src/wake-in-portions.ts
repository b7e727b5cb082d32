import { objectKey, type KubernetesObject } from '@holdfast/core';
import type { Priority, WakeQueue } from '@holdfast/runtime';

/** Objects that are woken in one turn of the event loop. */
const portion = 100;

/** Wakes all of these, however many: the first must not wait until thousands have been queued behind them. */
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

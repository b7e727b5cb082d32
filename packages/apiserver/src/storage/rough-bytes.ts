import type { Json } from '../meta/json.ts';

const perNode = 32;

/** A rough and cheap estimate of the memory that a value takes: its texts, plus a constant for each part. */
export function roughBytes(value: Json | undefined): number {
  if (typeof value === 'string') {
    return perNode + value.length;
  }
  if (typeof value !== 'object' || value === null) {
    return 8;
  }
  let sum = perNode;
  if (Array.isArray(value)) {
    for (const item of value) {
      sum += roughBytes(item);
    }
    return sum;
  }
  for (const key in value) {
    sum += 16 + roughBytes(value[key]);
  }
  return sum;
}

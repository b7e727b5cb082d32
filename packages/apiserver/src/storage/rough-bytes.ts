import type { Json } from '../meta/json.ts';

const perNode = 32;

/** What a value takes in memory, roughly and cheaply: its texts, and something for each part. */
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

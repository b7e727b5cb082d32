import type { Registry } from 'prom-client';

/**
 * Calls `make` once for each registry, and returns what it made to later callers: for metrics that several users share, distinguished
 * by a label, since a registry takes each name only once.
 */
export function oncePerRegistry<T>(make: (registry: Registry) => T): (registry: Registry) => T {
  const made = new WeakMap<Registry, T>();
  return (registry) => {
    let value = made.get(registry);
    if (value === undefined) {
      value = make(registry);
      made.set(registry, value);
    }
    return value;
  };
}

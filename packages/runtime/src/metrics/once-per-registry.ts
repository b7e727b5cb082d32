import type { Registry } from 'prom-client';

/**
 * Wraps `make` so that it runs once for each registry, and later callers get what it made. It is for metrics
 * that several users share and distinguish by a label, since a registry accepts each name only once.
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

import type { Registry } from 'prom-client';

/**
 * Makes something, such as metrics with the label that tells their users apart, once for each registry, which takes no
 * name twice.
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

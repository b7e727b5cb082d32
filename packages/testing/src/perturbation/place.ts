/**
 * A place in a run: a request of the operator (`patch persistentvolumeclaims shop/data #2`) or a change that
 * the API server made (`MODIFIED PersistentVolumeClaim shop/data #1`). The number counts equal names, from 1.
 * A place contains no times or positions, so that it stays the same in every run of a scenario even if
 * concurrent events happen in another order.
 */
export type Place = string;

/** Returns a function that numbers equal names in the order in which they come. */
export function createPlaces(): (name: string) => Place {
  const seen = new Map<string, number>();
  return (name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return `${name} #${String(count)}`;
  };
}

/** Returns `namespace/name`; `name` for a cluster-scoped object; the empty string for neither. */
export function pathOf(namespace: string | undefined, name: string | undefined): string {
  return [namespace, name].filter((part) => part !== undefined && part !== '').join('/');
}

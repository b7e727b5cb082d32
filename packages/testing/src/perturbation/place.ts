/**
 * Where in a run something stands: a request of the operator (`patch persistentvolumeclaims shop/data #2`) or a change that the API server
 * made (`MODIFIED PersistentVolumeClaim shop/data #1`). The number counts equals, from 1. Names and no times or positions, so that a place
 * is the same one in every run of a scenario, in whatever order happens what happens at once.
 */
export type Place = string;

/** Numbers what has the same name, in the order in which it comes. */
export function createPlaces(): (name: string) => Place {
  const seen = new Map<string, number>();
  return (name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return `${name} #${String(count)}`;
  };
}

/** `namespace/name`, `name` of what has no namespace, and nothing of what has neither. */
export function pathOf(namespace: string | undefined, name: string | undefined): string {
  return [namespace, name].filter((part) => part !== undefined && part !== '').join('/');
}

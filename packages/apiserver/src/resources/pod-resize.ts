import { withoutFields } from '../meta/json.ts';
import type { Container, PodSpec } from './pod-spec.ts';

/**
 * The old spec with the resources of the new one. If containers were added, removed or reordered, validation
 * refuses that later.
 *
 * @param old a copy, parts of which are in the result
 */
export function withResizedContainers(spec: PodSpec, old: PodSpec): PodSpec {
  const lists = ['containers', 'initContainers'] as const;
  if (lists.some((list) => (spec[list] ?? []).length !== (old[list] ?? []).length)) {
    return spec;
  }
  const resized: PodSpec = {
    ...withoutFields(old, ['resources']),
    containers: withResources(spec.containers ?? [], old.containers ?? []),
  };
  if (old.initContainers !== undefined) {
    resized.initContainers = withResources(spec.initContainers ?? [], old.initContainers);
  }
  if (spec.resources !== undefined) {
    resized.resources = spec.resources;
  }
  return resized;
}

function withResources(given: Container[], old: readonly Container[]): Container[] {
  if (given.some(({ name }, index) => name !== old[index]?.name)) {
    return given;
  }
  return old.map((container, index) => {
    const { resources, resizePolicy } = given[index] ?? container;
    const kept = withoutFields(container, ['resizePolicy']) as Container;
    return { ...kept, resources, ...(resizePolicy === undefined ? undefined : { resizePolicy }) };
  });
}

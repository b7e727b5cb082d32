import type { Container, PodSpec } from '../pod-spec.ts';

/** All containers of a pod with their paths: init containers, containers and ephemeral containers. */
export function eachContainer(
  spec: PodSpec,
  path: string,
): readonly (readonly [container: Container, path: string])[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => [container, `${path}.${list}[${index}]`] as const),
  );
}

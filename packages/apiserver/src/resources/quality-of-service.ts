import type { PodSpec } from './pod-spec.ts';

/** The QoS class of a pod: Guaranteed, Burstable or BestEffort. */
export function qosClassOf(spec: PodSpec): string {
  const { resources = {} } = spec;
  // Pod-level resources replace those of the containers.
  const containers =
    Object.keys({ ...resources.limits, ...resources.requests }).length > 0
      ? [{ resources }]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const compute = ['cpu', 'memory'] as const;
  const asks = (of: { [resource: string]: string } | undefined, name: string): boolean =>
    of?.[name] !== undefined && of[name] !== '0';
  if (
    !containers.some(({ resources }) =>
      compute.some((n) => asks(resources.limits, n) || asks(resources.requests, n)),
    )
  ) {
    return 'BestEffort';
  }
  const isGuaranteed = containers.every(({ resources }) =>
    compute.every(
      (name) =>
        asks(resources.limits, name) &&
        (resources.requests?.[name] ?? resources.limits?.[name]) === resources.limits?.[name],
    ),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

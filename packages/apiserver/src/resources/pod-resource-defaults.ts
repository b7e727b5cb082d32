import { amountsOfContainers, isPodLevelResource } from './pod-amounts.ts';
import type { PodSpec } from './pod-spec.ts';

/*
 * Defaults for the resources of a pod: from containers to the pod, and from limits to requests. They do not
 * apply to templates.
 */

export function applyPodResourceDefaults(spec: PodSpec): void {
  for (const containers of [spec.initContainers, spec.containers]) {
    for (const { resources } of containers ?? []) {
      if (resources.limits !== undefined) {
        resources.requests = { ...resources.limits, ...resources.requests };
      }
    }
  }
  if (spec.resources !== undefined) {
    applyHugePageLimits(spec, spec.resources);
    applyRequests(spec, spec.resources);
  }
}

type Whole = NonNullable<PodSpec['resources']>;

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

function applyHugePageLimits(spec: PodSpec, resources: Whole): void {
  const { limits = {}, requests = {} } = resources;
  if (Object.keys({ ...limits, ...requests }).length === 0) {
    return;
  }
  const added = Object.entries(amountsOfContainers(spec, 'limits')).filter(
    ([name]) => isHugePages(name) && requests[name] === undefined && limits[name] === undefined,
  );
  if (added.length > 0) {
    resources.limits = { ...limits, ...Object.fromEntries(added) };
  }
}

function applyRequests(spec: PodSpec, resources: Whole): void {
  const { limits = {}, requests = {} } = resources;
  if (Object.keys(limits).length === 0) {
    return;
  }
  const ofContainers = Object.entries(amountsOfContainers(spec, 'requests')).filter(
    ([name]) => isPodLevelResource(name) && !isHugePages(name),
  );
  const ofLimits = Object.entries(limits).filter(([name]) => isPodLevelResource(name));
  const all = { ...Object.fromEntries([...ofLimits, ...ofContainers]), ...requests };
  if (Object.keys(all).length > 0) {
    resources.requests = all;
  }
}

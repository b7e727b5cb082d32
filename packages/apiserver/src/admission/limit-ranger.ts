import { isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { forbidden } from '../meta/status-error.ts';
import { podLimits, podRequests } from '../resources/pod-amounts.ts';
import type { Pod } from '../resources/pod-object.ts';
import type { Container } from '../resources/pod-spec.ts';
import { groupResource } from '../resources/resource-definition.ts';
import { type Amounts, sortedAmounts } from '../schema/amounts.ts';
import { nanosOf } from '../schema/quantity.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';

/*
 * Applies the LimitRanges of a namespace, as plugin/pkg/admission/limitranger does. Containers of new pods
 * get defaults for requests and limits that they do not set. Pods and claims that request too little or too
 * much are refused.
 */

interface LimitItem {
  readonly type: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}

/** The requests and limits that are compared with a LimitRange. */
interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

const annotation = 'kubernetes.io/limit-ranger';

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  mutate(request) {
    const { object } = request;
    if (object === undefined || kindOf(request) !== 'pods') {
      return;
    }
    for (const limits of limitsFor(request)) {
      setDefaults(object as Pod, limits);
    }
  },
  validate(request) {
    const { definition, name, object } = request;
    const kind = kindOf(request);
    if (object === undefined || kind === undefined) {
      return;
    }
    for (const limits of limitsFor(request)) {
      const problems =
        kind === 'pods' ? podProblems(object as Pod, limits) : claimProblems(requestsOf(object), limits);
      const [first, ...others] = new Set(problems);
      if (first !== undefined) {
        const problem = others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
        throw forbidden(groupResource(definition), name, problem);
      }
    }
  },
};

/** Which of the two limited kinds the request is about; undefined for all other requests. */
function kindOf({
  operation,
  definition,
  subresource,
}: AdmissionRequest): 'pods' | 'persistentvolumeclaims' | undefined {
  const { group, plural } = definition;
  if (group !== '' || operation === 'DELETE') {
    return undefined;
  }
  if (plural === 'pods') {
    // Requests and limits of existing containers change only by a resize.
    const isLimited = operation === 'CREATE' ? subresource === '' : subresource === 'resize';
    return isLimited ? plural : undefined;
  }
  return plural === 'persistentvolumeclaims' && subresource === '' ? plural : undefined;
}

/** The limits of each LimitRange in the namespace. An object that is being deleted has none. */
function limitsFor({ namespace, oldObject, storage }: AdmissionRequest): readonly (readonly LimitItem[])[] {
  if (oldObject?.metadata.deletionTimestamp !== undefined) {
    return [];
  }
  return storage.list('limitranges', namespace).map(({ object }) => {
    const { spec } = object as unknown as { spec: { limits: LimitItem[] | null } };
    return spec.limits ?? [];
  });
}

function requestsOf(claim: KubeObject): Amounts {
  const { spec } = claim;
  const resources = isObject(spec) ? spec['resources'] : undefined;
  return (isObject(resources) ? (resources['requests'] as Amounts | undefined) : undefined) ?? {};
}

function setDefaults({ metadata, spec }: Pod, limits: readonly LimitItem[]): void {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const requests = defaultsOf(ofContainers.map((item) => item.defaultRequest));
  const most = defaultsOf(ofContainers.map((item) => item.default));
  const said: string[] = [];
  const complete = (container: Container, what: string): void => {
    const { resources } = container;
    const missing = (side: 'requests' | 'limits', defaults: Amounts): readonly string[] => {
      const names = sortedAmounts(defaults)
        .map(([name]) => name)
        .filter((name) => resources[side]?.[name] === undefined);
      if (names.length > 0) {
        resources[side] = { ...defaults, ...resources[side] };
      }
      return names;
    };
    const limited = missing('limits', most);
    const requested = missing('requests', requests);
    if (requested.length > 0) {
      said.push(`${requested.join(', ')} request for ${what} ${container.name}`);
    }
    if (limited.length > 0) {
      said.push(`${limited.join(', ')} limit for ${what} ${container.name}`);
    }
  };
  spec.containers?.forEach((container) => complete(container, 'container'));
  spec.initContainers?.forEach((container) => complete(container, 'init container'));
  if (said.length > 0) {
    metadata.annotations = {
      ...metadata.annotations,
      [annotation]: `LimitRanger plugin set: ${said.join('; ')}`,
    };
  }
}

/** Merges the defaults of several items. The last item that sets a value wins. */
function defaultsOf(items: readonly (Amounts | undefined)[]): Amounts {
  return items.reduce<Amounts>((all, item) => ({ ...all, ...item }), {});
}

function podProblems(pod: Pod, limits: readonly LimitItem[]): readonly string[] {
  const { containers, initContainers } = pod.spec;
  return limits.flatMap((item) => {
    switch (item.type) {
      case 'Container':
        return [...(containers ?? []), ...(initContainers ?? [])].flatMap(({ resources }) =>
          problemsOf(item, { requests: resources.requests ?? {}, limits: resources.limits ?? {} }),
        );
      case 'Pod': {
        const options = {
          withOverhead: false,
          withStatus: false,
          isOfPod: (name: string) => name === 'cpu' || name === 'memory',
        };
        return problemsOf(item, { requests: podRequests(pod, options), limits: podLimits(pod, options) });
      }
      default:
        return [];
    }
  });
}

function problemsOf(
  { type, min = {}, max = {}, maxLimitRequestRatio = {} }: LimitItem,
  asked: Asked,
): string[] {
  return [
    ...sortedAmounts(min).map(([name, least]) => minProblem(type, name, least, asked)),
    ...sortedAmounts(max).map(([name, most]) => maxProblem(type, name, most, asked)),
    ...sortedAmounts(maxLimitRequestRatio).map(([name, ratio]) => ratioProblem(type, name, ratio, asked)),
  ].filter((problem) => problem !== undefined);
}

function claimProblems(requests: Amounts, limits: readonly LimitItem[]): readonly string[] {
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min = {}, max = {} }) => [
      ...sortedAmounts(min).map(([name, least]) => minProblem(type, name, least, { requests, limits: {} })),
      ...sortedAmounts(max).map(([name, most]) => {
        const request = requests[name];
        const subject = `maximum ${name} usage per ${type} is ${most}`;
        if (request === undefined) {
          return `${subject}.  No request is specified`;
        }
        return isMore(request, most) ? `${subject}, but request is ${request}` : undefined;
      }),
    ])
    .filter((problem) => problem !== undefined);
}

function minProblem(type: string, name: string, least: string, asked: Asked): string | undefined {
  const [request, limit] = [asked.requests[name], asked.limits[name]];
  const subject = `minimum ${name} usage per ${type} is ${least}`;
  if (request === undefined) {
    return `${subject}.  No request is specified`;
  }
  if (isMore(least, request)) {
    return `${subject}, but request is ${request}`;
  }
  return limit !== undefined && isMore(least, limit) ? `${subject}, but limit is ${limit}` : undefined;
}

function maxProblem(type: string, name: string, most: string, asked: Asked): string | undefined {
  const [request, limit] = [asked.requests[name], asked.limits[name]];
  const subject = `maximum ${name} usage per ${type} is ${most}`;
  if (limit === undefined) {
    return `${subject}.  No limit is specified`;
  }
  if (isMore(limit, most)) {
    return `${subject}, but limit is ${limit}`;
  }
  return request !== undefined && isMore(request, most) ? `${subject}, but request is ${request}` : undefined;
}

function ratioProblem(type: string, name: string, most: string, asked: Asked): string | undefined {
  const request = thousandthsOf(asked.requests[name] ?? '0');
  const limit = thousandthsOf(asked.limits[name] ?? '0');
  const subject = `${name} max limit to request ratio per ${type} is ${most}`;
  if (request === 0) {
    return `${subject}, but no request is specified or request is 0`;
  }
  if (limit === 0) {
    return `${subject}, but no limit is specified or limit is 0`;
  }
  const ratio = limit / request;
  return ratio * 1_000 > thousandthsOf(most)
    ? `${subject}, but provided ratio is ${ratio.toFixed(6)}`
    : undefined;
}

function isMore(a: string, b: string): boolean {
  return thousandthsOf(a) > thousandthsOf(b);
}

/** The amount in thousandths, rounded up, as the real server compares quantities here. */
function thousandthsOf(quantity: string): number {
  return Number(((nanosOf(quantity) ?? 0n) + 999_999n) / 1_000_000n);
}

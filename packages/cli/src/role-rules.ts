import type { OperatorRequest, OwnObject, RecordedTest } from './recorded-requests.ts';

/** What a rule of a role allows, on one resource. */
export interface RoleRule {
  /** Undefined for paths that are no resources. */
  readonly resource: { readonly group: string; readonly name: string } | undefined;
  /** Objects of these names alone; empty: all. */
  readonly resourceNames: readonly string[];
  /** Paths that are no resources; empty for resources. */
  readonly paths: readonly string[];
  /** The verbs, each with the tests that needed it. */
  readonly verbs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Where a rule has to hold: everywhere, in the namespace of the operator itself, or in those that it watches. */
export type RuleScope = 'cluster' | 'home' | 'watched';

export type RoleRules = Readonly<Record<RuleScope, readonly RoleRule[]>>;

/** The verbs of which authorization knows the name: a collection has none, nor has a `create` that is no apply. */
const named: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/** What every user may read (`system:discovery`, `system:public-info-viewer`). */
const open = /^\/(api|apis|openapi|version|healthz|livez|readyz)(\/|$)/;

/**
 * The least that allows all requests, and what comes of them later. A watch brings `list` with it, by which it begins anew when it broke; a server-side apply
 * `create`, for the time that the object is not there; an Event `patch`, for the series that it becomes when it repeats; the Secret of the webhooks `patch`, for
 * the certificate that is renewed after months.
 */
export function roleRules(tests: readonly RecordedTest[]): RoleRules {
  const scopes: Readonly<Record<RuleScope, Map<string, MutableRule>>> = {
    cluster: new Map(),
    home: new Map(),
    watched: new Map(),
  };
  for (const test of tests) {
    for (const request of test.requests) {
      if (request.resource === '' && open.test(request.path)) {
        continue;
      }
      const own = ownObjectOf(request, test.own);
      const rules: Map<string, MutableRule> = scopes[scopeOf(request, test, own !== undefined)];
      for (const verb of verbsOf(request, own)) {
        const name = own !== undefined && (named.has(verb) || request.isApply) ? own.name : undefined;
        add(rules, request, verb, name, test.test);
      }
    }
  }
  const { cluster, home, watched } = scopes;
  return { cluster: sorted(cluster), home: sorted(home), watched: sorted(watched) };
}

interface MutableRule extends RoleRule {
  readonly verbs: Map<string, Set<string>>;
}

/** The verb, and those that come with it: what follows from it later than a test lasts. */
function verbsOf(
  { verb, isApply, group, resource }: OperatorRequest,
  own: OwnObject | undefined,
): readonly string[] {
  if (isApply) {
    return ['create', 'patch'];
  }
  if (verb === 'create' && group === 'events.k8s.io' && resource === 'events') {
    return ['create', 'patch'];
  }
  if (verb === 'get' && own?.group === '' && own.resource === 'secrets') {
    return ['get', 'patch'];
  }
  return verb === 'watch' ? ['list', 'watch'] : [verb];
}

/** The object that a request is about, if it is one of the operator's own; what creates it does not name it. */
function ownObjectOf(request: OperatorRequest, own: readonly OwnObject[]): OwnObject | undefined {
  return own.find(
    ({ group, resource, namespace, name }) =>
      request.group === group &&
      request.resource === resource &&
      request.namespace === namespace &&
      (request.name === name || (request.name === '' && request.verb === 'create')),
  );
}

function scopeOf({ namespace }: OperatorRequest, { namespaces }: RecordedTest, isOwn: boolean): RuleScope {
  if (namespace === '') {
    return 'cluster';
  }
  if (isOwn) {
    return 'home';
  }
  return namespaces.includes(namespace) ? 'watched' : 'cluster';
}

function add(
  rules: Map<string, MutableRule>,
  { group, resource, subresource, path }: OperatorRequest,
  verb: string,
  resourceName: string | undefined,
  test: string,
): void {
  const isResource = resource !== '';
  const name = subresource === '' ? resource : `${resource}/${subresource}`;
  const id = JSON.stringify(isResource ? [group, name, resourceName ?? ''] : [path]);
  const rule = rules.get(id) ?? {
    resource: isResource ? { group, name } : undefined,
    resourceNames: resourceName === undefined ? [] : [resourceName],
    paths: isResource ? [] : [path],
    verbs: new Map<string, Set<string>>(),
  };
  rules.set(id, rule);
  const needed = rule.verbs.get(verb) ?? new Set();
  rule.verbs.set(verb, needed.add(test));
}

/** In the order of their identities, by code units, so that the same requests make the same file anywhere. */
function sorted(rules: ReadonlyMap<string, MutableRule>): readonly RoleRule[] {
  return [...rules].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);
}

import type { OperatorRequest, OwnObject, RecordedTest } from './recorded-requests.ts';

/** What a rule of a role allows, on one resource. */
export interface RoleRule {
  /** Undefined for paths that are not resources. */
  readonly resource: { readonly group: string; readonly name: string } | undefined;
  /** Only objects of these names; empty: all. */
  readonly resourceNames: readonly string[];
  /** Paths that are not resources; empty for resources. */
  readonly paths: readonly string[];
  /** The verbs, each with the tests that needed it. */
  readonly verbs: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Where a rule must apply: everywhere, in the namespace of the operator itself, or in those that it watches.
 */
export type RuleScope = 'cluster' | 'home' | 'watched';

export type RoleRules = Readonly<Record<RuleScope, readonly RoleRule[]>>;

/**
 * The verbs for which authorization knows the object's name. A collection has no name, and neither does a
 * `create` that is not an apply.
 */
const named: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/** The paths that every user can read (`system:discovery`, `system:public-info-viewer`). */
const open = /^\/(api|apis|openapi|version|healthz|livez|readyz)(\/|$)/;

/**
 * Returns the smallest rules that allow all requests and those that follow from them later. A watch adds
 * `list`, with which it starts again after it broke. A server-side apply adds `create`, for when the object
 * does not exist. An Event adds `patch`, for the series that it becomes when it repeats. The Secret of the
 * webhooks adds `patch`, for the certificate that is renewed after months.
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

/** Returns the verb, and those for requests that follow from it later than a test lasts. */
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

/**
 * Returns the object that a request is about, if it is one of the operator's own; a request that creates it
 * does not name it.
 */
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

/** Sorts by identity, by code units, so that the same requests make the same file anywhere. */
function sorted(rules: ReadonlyMap<string, MutableRule>): readonly RoleRule[] {
  return [...rules].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);
}

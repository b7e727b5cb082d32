import type { Manifest } from '../kustomize.ts';

/** One verb on one kind of resource that an account is granted. */
export interface Right {
  /** As the API server names it: `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  /** `ClusterRole NAME`, or of Role. */
  readonly role: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `persistentvolumeclaims/status`. */
  readonly resource: string;
  /** The one object that it is for; undefined: all. */
  readonly name: string | undefined;
  /** The namespace that it is for; undefined: the whole cluster. */
  readonly namespace: string | undefined;
}

/** One request, as the audit log has it. */
export interface AuditedRequest {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource; empty: it was for no resource. */
  readonly resource: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly code: number;
  /** By the authorizer, or for want of credentials; what an admission plugin refuses is none of it. */
  readonly isForbidden: boolean;
}

/** What the bindings among the manifests grant to service accounts. */
export function rightsIn(manifests: readonly Manifest[]): readonly Right[] {
  return manifests.flatMap(({ roleRef, subjects = [], metadata: { namespace } }) => {
    const role = manifests.find(
      ({ kind, metadata }) =>
        kind === roleRef?.kind &&
        metadata.name === roleRef.name &&
        (kind === 'ClusterRole' || metadata.namespace === namespace),
    );
    if (role === undefined) {
      return [];
    }
    return (role.rules ?? []).flatMap(({ apiGroups = [], resources = [], resourceNames, verbs }) =>
      subjects.flatMap((subject) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            (resourceNames ?? [undefined]).flatMap((name) =>
              verbs.map((verb) => ({
                user: `system:serviceaccount:${subject.namespace ?? ''}:${subject.name}`,
                role: `${role.kind} ${role.metadata.name}`,
                verb,
                group,
                resource,
                name,
                namespace,
              })),
            ),
          ),
        ),
      ),
    );
  });
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** @param log whole lines of an audit log, as kube-apiserver writes it. A watch counts when it begins. */
export function requestsIn(log: string): readonly AuditedRequest[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ stage }) => stage === 'ResponseStarted' || stage === 'ResponseComplete')
    .map(
      ({
        verb,
        user,
        objectRef: { apiGroup = '', resource = '', subresource, name, namespace } = {},
        ...rest
      }) => ({
        user: user.username,
        verb,
        group: apiGroup,
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        name,
        namespace,
        code: rest.responseStatus?.code ?? 0,
        isForbidden:
          rest.responseStatus?.code === 401 ||
          rest.annotations?.['authorization.k8s.io/decision'] === 'forbid',
      }),
    );
}

/** Whether the right allows the request. */
export function allows(right: Right, request: AuditedRequest): boolean {
  return (
    right.user === request.user &&
    right.verb === request.verb &&
    right.group === request.group &&
    right.resource === request.resource &&
    (right.name === undefined || right.name === request.name) &&
    (right.namespace === undefined || right.namespace === request.namespace)
  );
}

/**
 * Whether the request needs the right as it is: where a list or watch of the whole cluster is granted, one of a single
 * namespace would have done with less.
 */
export function needs(right: Right, request: AuditedRequest): boolean {
  const isOfMany = right.verb === 'list' || right.verb === 'watch';
  return (
    allows(right, request) && !(isOfMany && right.namespace === undefined && request.namespace !== undefined)
  );
}

/** `list pods of namespace team-a (Role pvc-protection)`. */
export function describeRight({ role, verb, group, resource, name, namespace }: Right): string {
  return [
    `${verb} ${resource}${group === '' ? '' : ` (${group})`}`,
    ...(name === undefined ? [] : [`named ${name}`]),
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
    `by ${role}`,
  ].join(' ');
}

/** The same words for the same requests. */
export function describeRequest({ verb, group, resource, name, namespace, code }: AuditedRequest): string {
  return `${verb} ${resource}${group === '' ? '' : ` (${group})`} ${namespace ?? ''}/${name ?? ''}: ${String(code)}`;
}

import { gates as protectionGates } from '@holdfast/pvc-protection/decide';
import type { Access } from '../cluster/access.ts';
import { gatesOf } from '../cluster/holdfast-at-work.ts';
import type { AppName } from '../cluster/release.ts';
import { leaseOf, namespacesOf, type Installed } from './installed.ts';

interface Rule {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

const claims = (...verbs: readonly string[]): Rule => ({
  group: '',
  resource: 'persistentvolumeclaims',
  verbs,
});
const attachments: Rule = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  verbs: ['list', 'watch'],
};
const events: Rule = { group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] };

/**
 * The rules of each controller's ClusterRole, as deploy/ installs it, except those that are limited to
 * objects of its own name.
 */
export const rules: Readonly<Record<AppName, readonly Rule[]>> = {
  'pvc-protection': [
    claims('list', 'watch', 'patch'),
    { group: '', resource: 'pods', verbs: ['list', 'watch'] },
    attachments,
    events,
  ],
  'statefulset-pvc-retention': [
    { group: 'apps', resource: 'statefulsets', verbs: ['get', 'list', 'watch'] },
    { group: '', resource: 'pods', verbs: ['get', 'list', 'watch'] },
    claims('list', 'watch', 'patch', 'delete'),
    events,
  ],
  'pv-reclaim-honor': [
    { group: '', resource: 'persistentvolumes', verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
    claims('get', 'list', 'watch'),
    attachments,
    { group: 'storage.k8s.io', resource: 'storageclasses', verbs: ['get', 'list', 'watch'] },
    events,
  ],
  'retroactive-default-sc': [
    claims('list', 'watch', 'patch'),
    { group: 'storage.k8s.io', resource: 'storageclasses', verbs: ['list', 'watch'] },
    events,
  ],
};

/** The rules of pvc-protection's components, each for a gate that is on. */
function rulesOfGates({ app, flags }: Pick<Installed, 'app' | 'flags'>): readonly Rule[] {
  if (app !== 'pvc-protection') {
    return [];
  }
  const gates = gatesOf(protectionGates, { flags });
  const condition: Rule = { group: '', resource: 'persistentvolumeclaims/status', verbs: ['patch'] };
  const guard = ['pods', 'persistentvolumeclaims'].map((resource) => ({
    group: '',
    resource,
    verbs: ['get'],
  }));
  return [
    ...(gates.enabled('ClaimUnusedCondition') ? [condition] : []),
    ...(gates.enabled('TerminatingClaimGuard') && servesWebhooks(flags) ? guard : []),
  ];
}

const clusterWide: ReadonlySet<string> = new Set([
  'persistentvolumes',
  'volumeattachments',
  'storageclasses',
]);

/** Returns what a controller requests from the API server. */
export function accessesOf(installed: Pick<Installed, 'app' | 'namespace' | 'flags'>): readonly Access[] {
  const namespaces = namespacesOf(installed);
  const lease = leaseOf(installed);
  const leases = { group: 'coordination.k8s.io', resource: 'leases' };
  const scopesOf = (resource: string): readonly Pick<Access, 'namespace'>[] =>
    namespaces.length === 0 || clusterWide.has(resource)
      ? [{}]
      : namespaces.map((namespace) => ({ namespace }));
  return [
    ...[...rules[installed.app], ...rulesOfGates(installed)].flatMap(({ group, resource, verbs }) =>
      verbs.flatMap((verb) => scopesOf(resource).map((scope) => ({ verb, group, resource, ...scope }))),
    ),
    ...(lease === undefined
      ? []
      : [
          { ...leases, namespace: lease.namespace, verb: 'create' },
          ...['get', 'patch'].map((verb) => ({ ...leases, ...lease, verb })),
        ]),
    ...certificateAccesses(installed),
  ];
}

function servesWebhooks(flags: Installed['flags']): boolean {
  return (flags.get('webhook-bind-address') ?? '0') !== '0';
}

/**
 * Its webhooks' Secret and configuration, where it makes the certificate itself. Its role names them, and so
 * does not allow those of the flags if an overlay has renamed the one and not the other.
 */
function certificateAccesses({
  app,
  namespace,
  flags,
}: Pick<Installed, 'app' | 'namespace' | 'flags'>): readonly Access[] {
  if (!servesWebhooks(flags) || flags.get('webhook-self-signed') !== 'true') {
    return [];
  }
  const objects = [
    {
      ...{ group: '', resource: 'secrets', namespace: flags.get('webhook-namespace') ?? namespace },
      name: flags.get('webhook-secret-name') ?? `holdfast-${app}-webhook`,
    },
    {
      ...{ group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
      name: flags.get('webhook-configuration-name') ?? `holdfast-${app}`,
    },
  ];
  return objects.flatMap((object) => ['get', 'patch'].map((verb) => ({ verb, ...object })));
}

/** What this tool requests, and what it cannot tell without that access. */
export const ownAccesses: readonly { readonly access: Access; readonly without: string }[] = [
  ...(['persistentvolumeclaims', 'pods'] as const).map((resource) => ({
    access: { verb: 'list', group: '', resource },
    without: 'explain and plan answer only in namespaces where it is allowed',
  })),
  {
    access: { verb: 'list', group: 'apps', resource: 'statefulsets' },
    without: 'explain and plan answer only in namespaces where it is allowed',
  },
  {
    access: { verb: 'list', group: '', resource: 'persistentvolumes' },
    without: 'it is not known what happens to data, and leaks cannot be listed',
  },
  {
    access: { verb: 'list', group: 'storage.k8s.io', resource: 'volumeattachments' },
    without: 'it is not known whether a volume is attached',
  },
  {
    access: { verb: 'list', group: 'storage.k8s.io', resource: 'storageclasses' },
    without: 'it is not known which class a claim waits for',
  },
  {
    access: { verb: 'list', group: 'coordination.k8s.io', resource: 'leases' },
    without: 'it is not known whether Holdfast is at work',
  },
  {
    access: { verb: 'list', group: 'apps', resource: 'deployments' },
    without: "Holdfast's flags, and which csi-provisioners there are, are not known",
  },
];

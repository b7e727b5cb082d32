import { finalizers } from '@holdfast/core';
import { accessWords, type Access } from '../cluster/access.ts';
import type { AtWork } from '../cluster/holdfast-at-work.ts';
import type { AppName } from '../cluster/release.ts';
import { appNames } from '../survey/controllers.ts';
import type { Feature } from './kubernetes-feature.ts';
import { keyOf, leaseOf, namespacesOf, overlap, type Installed } from './installed.ts';
import { addressOf } from './need.ts';
import type { ProvisionerFinding } from './provisioner.ts';
import { ownAccesses } from './rights.ts';

/** Something that keeps Holdfast from its work, or that it would conflict with. */
export interface Obstacle {
  /** `stops`: data is at risk, or nothing is done; `look`: might be intended. */
  readonly level: 'stops' | 'look';
  readonly what: string;
  readonly wayOut: string;
}

export interface Findings {
  readonly features: Readonly<Record<AppName, Feature>>;
  readonly provisioners: readonly ProvisionerFinding[] | undefined;
  /** Undefined if Deployments may not be listed. */
  readonly installed: readonly Installed[] | undefined;
  readonly atWork: Readonly<Record<AppName, AtWork>>;
  /**
   * The permissions that each Deployment's service account lacks, by namespace and name; no entry if the API
   * server does not tell.
   */
  readonly lacking: ReadonlyMap<string, readonly Access[]>;
  /** The names of the namespaces that exist; undefined or absent if this is not known. */
  readonly existing?: ReadonlySet<string> | undefined;
  /** The permissions that the user of this tool lacks; undefined if the API server does not tell. */
  readonly ownLacking: readonly Access[] | undefined;
  /** The version of this tool. */
  readonly version: string;
}

/**
 * Lists what stands in the way:
 *
 * | found                                                                             | level |
 * |-----------------------------------------------------------------------------------|-------|
 * | a controller's service account lacks a permission                                 | stops |
 * | a controller is deployed, and not at work                                         | stops |
 * | two Deployments of a controller look after the same namespace                     | stops |
 * | a controller runs twice without leader election                                   | stops |
 * | pv-reclaim-honor holds by the finalizer that a csi-provisioner takes off          | stops |
 * | statefulset-pvc-retention does not yield to a stock controller that is at work    | stops |
 * | pv-reclaim-honor reclaims beside a csi-provisioner that does so, too              | look  |
 * | a controller is of another version than this tool                                 | look  |
 * | some of a controller's flags are not in its Deployment                            | look  |
 * | a namespace of a controller's --namespaces does not exist                         | look  |
 * | a controller is at work, and no Deployment shows it                               | look  |
 * | the user of this tool lacks a permission, or may not ask for those of others      | look  |
 */
export function obstaclesOf(findings: Findings): readonly Obstacle[] {
  const { installed = [] } = findings;
  const found = [
    ...installed.flatMap((each) => [
      ...missingRights(each, findings),
      ...loneLeaders(each),
      ...otherVersion(each, findings),
      ...hiddenFlags(each),
      ...missingNamespaces(each, findings),
    ]),
    ...idle(findings),
    ...unseen(findings),
    ...doubles(installed),
    ...fights(installed, findings),
    ...ownRights(findings),
  ];
  return found.toSorted((a, b) => Number(a.level === 'look') - Number(b.level === 'look'));
}

function missingRights(installed: Installed, { lacking }: Findings): readonly Obstacle[] {
  const missing = lacking.get(keyOf(installed));
  const { app, namespace, serviceAccount } = installed;
  if (missing === undefined) {
    return [
      {
        level: 'look',
        what: `whether ${app} in ${namespace} has its permissions is not known: you may not create subjectaccessreviews`,
        wayOut: `kubectl auth can-i --list --as=system:serviceaccount:${namespace}:${serviceAccount}`,
      },
    ];
  }
  return missing.length === 0
    ? []
    : [
        {
          level: 'stops',
          what: `${app} in ${namespace} may not ${missing.map(accessWords).join(', ')}`,
          wayOut: `bind its roles to service account ${serviceAccount} of ${namespace}, see docs/permissions.md`,
        },
      ];
}

function loneLeaders({ app, namespace, replicas, flags }: Installed): readonly Obstacle[] {
  return flags.get('leader-elect') === 'false' && replicas > 1
    ? [
        {
          level: 'stops',
          what: `${String(replicas)} replicas of ${app} in ${namespace} all act: --leader-elect=false`,
          wayOut: 'remove the flag, or scale to one replica',
        },
      ]
    : [];
}

function otherVersion(
  { app, namespace, version, image }: Installed,
  { version: own }: Findings,
): readonly Obstacle[] {
  return version?.replace(/^v/, '') === own
    ? []
    : [
        {
          level: 'look',
          what: `${app} in ${namespace} is of ${version === undefined ? `image ${image}, without a tag` : `version ${version}`}, and this tool of ${own}: what it says is by the rules of its own version`,
          wayOut: 'use the kubectl-holdfast of that version',
        },
      ];
}

function hiddenFlags({ app, namespace, hidden }: Installed): readonly Obstacle[] {
  return hidden === undefined
    ? []
    : [
        {
          level: 'look',
          what: `not all flags of ${app} in ${namespace} are known: ${hidden}; its gates, namespaces and lease might be others than said here`,
          wayOut: 'give the flags as arguments, or as variables with values',
        },
      ];
}

/** To the controller they look empty: the API server answers a list in a namespace that does not exist. */
function missingNamespaces(installed: Installed, { existing }: Findings): readonly Obstacle[] {
  const { app, namespace } = installed;
  const missing = namespacesOf(installed).filter((name) => existing?.has(name) === false);
  const [shown, more] = [missing.slice(0, 10), missing.length - 10];
  const words =
    missing.length === 1 ? 'a namespace that does' : `${String(missing.length)} namespaces that do`;
  return missing.length === 0
    ? []
    : [
        {
          level: 'look',
          what: `${app} in ${namespace} is to work in ${words} not exist: ${shown.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`,
          wayOut: 'correct --namespaces, or create them',
        },
      ];
}

function idle({ atWork, installed = [] }: Findings): readonly Obstacle[] {
  const names = new Set(installed.map(({ app }) => app));
  return [...names].flatMap((app): readonly Obstacle[] => {
    const selector = `-l app.kubernetes.io/name=${app}`;
    const homes = new Set(installed.flatMap((each) => (each.app === app ? [each.namespace] : [])));
    // A pod that never started has no log, and kubectl logs takes no -A.
    const looks = [
      `kubectl describe pods ${selector} -A`,
      ...[...homes].map((namespace) => `kubectl logs ${selector} -n ${namespace}`),
    ].join('; ');
    const looksAt = (deployment: string): string => {
      const [namespace = '', name = ''] = deployment.split('/');
      return `kubectl describe pods ${selector} -n ${namespace}; kubectl logs deployment/${name} -n ${namespace}`;
    };
    return [atWork[app], ...(atWork[app].others ?? [])].flatMap(({ state, because, flags, deployment }) => {
      const namespaces = flags.get('namespaces') ?? '';
      const as = deployment === undefined ? '' : ` as ${deployment}`;
      const of = namespaces === '' ? '' : ` for ${namespaces}`;
      return state === 'absent'
        ? [
            {
              level: 'stops',
              what: `${app} is deployed${as}${of}, and not at work: ${because}`,
              wayOut: deployment === undefined ? looks : looksAt(deployment),
            },
          ]
        : [];
    });
  });
}

function unseen({ atWork, installed }: Findings): readonly Obstacle[] {
  return appNames.flatMap((app): readonly Obstacle[] => {
    const { state, isDeployed, because } = atWork[app];
    return state === 'atWork' && !isDeployed && installed !== undefined
      ? [
          {
            level: 'look',
            what: `${app} is at work, and its version, flags and permissions are not checked: ${because}`,
            wayOut: 'check them by hand, such as those of a container in the pods of a CSI driver',
          },
        ]
      : [];
  });
}

/** Of Deployments that compete for one lease, one acts at a time; otherwise both act. */
function doubles(installed: readonly Installed[]): readonly Obstacle[] {
  return installed.flatMap((each, index) =>
    installed.slice(index + 1).flatMap((other): readonly Obstacle[] => {
      const isByStorage = each.app === 'pv-reclaim-honor' && areForDifferentStorage(each, other);
      const [lease, otherLease] = [leaseOf(each), leaseOf(other)];
      const isShared = lease !== undefined && otherLease !== undefined && keyOf(lease) === keyOf(otherLease);
      return each.app === other.app && !isShared && overlap(each, other) && !isByStorage
        ? [
            {
              level: 'stops',
              what: `${each.app} is deployed as ${keyOf(each)} and as ${keyOf(other)}, and both look after the same namespaces`,
              wayOut: 'delete one, or divide the namespaces by --namespaces',
            },
          ]
        : [];
    }),
  );
}

/**
 * Whether two processes of pv-reclaim-honor are meant to run beside each other: one for each CSI driver, and
 * one for the hostPath volumes of a node beside those that have none to do with such volumes.
 */
function areForDifferentStorage(one: Installed, other: Installed): boolean {
  const [drivers, folders] = [one, other].toSorted(
    (a, b) => Number(b.flags.has('csi-address')) - Number(a.flags.has('csi-address')),
  );
  return (
    drivers?.flags.has('csi-address') === true &&
    (folders?.flags.has('csi-address') === true || drivers.flags.get('host-path-root') === 'none')
  );
}

function fights(
  installed: readonly Installed[],
  { features, provisioners = [] }: Findings,
): readonly Obstacle[] {
  return installed.flatMap(({ app, namespace, flags }): readonly Obstacle[] => {
    if (app === 'statefulset-pvc-retention') {
      return features[app].state === 'on' && flags.get('yield-to-stock-controller') === 'false'
        ? [
            {
              level: 'stops',
              what: `${app} in ${namespace} and kube-controller-manager both write the owner references of claims: --yield-to-stock-controller=false`,
              wayOut: 'remove the flag',
            },
          ]
        : [];
    }
    if (app !== 'pv-reclaim-honor' || flags.get('csi-address') === undefined) {
      return [];
    }
    const isShared =
      (flags.get('csi-finalizer') ?? finalizers.externalProvisioner) === finalizers.externalProvisioner;
    const reclaims = flags.get('mode') !== 'guard';
    return provisioners.flatMap((provisioner): readonly Obstacle[] => {
      const who = `csi-provisioner of ${addressOf(provisioner)} (${provisioner.because})`;
      if (provisioner.does === 'strips' && isShared) {
        return [
          {
            level: 'stops',
            what: `${who} takes off the finalizer by which ${app} in ${namespace} holds volumes`,
            wayOut: `where both serve the same driver: ${provisioner.run}`,
          },
        ];
      }
      return provisioner.does === 'honors' && reclaims
        ? [
            {
              level: 'look',
              what: `${who} deletes storage as ${app} in ${namespace} does`,
              wayOut: `where both serve the same driver: --mode=guard, or no ${app}`,
            },
          ]
        : [];
    });
  });
}

function ownRights({ ownLacking }: Findings): readonly Obstacle[] {
  if (ownLacking === undefined) {
    return [
      {
        level: 'look',
        what: 'it is not known what you may read: you may not create selfsubjectaccessreviews',
        wayOut: 'bind ClusterRole system:basic-user',
      },
    ];
  }
  return ownAccesses
    .filter(({ access }) => ownLacking.includes(access))
    .map(({ access, without }) => ({
      level: 'look',
      what: `you may not ${accessWords(access)} in all namespaces: ${without}`,
      wayOut: 'see "Permissions" in the README of kubectl-holdfast',
    }));
}

import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import { containersOf, containersOfApp, type Deployment } from '../cluster/deployment.ts';
import { installedOf, keyOf, overlap } from '../preflight/installed.ts';
import { appNames } from '../survey/controllers.ts';
import type { AppName } from '../cluster/release.ts';

/** How to uninstall one Deployment. */
export interface Leaving {
  readonly app: AppName;
  readonly deployment: Deployment;
  readonly namespace: string;
  /** The steps in order, or why it cannot be done from here. */
  readonly course:
    | {
        readonly kind: 'steps';
        /** Deleted first: without a controller they would refuse the requests that they check. */
        readonly webhooks: readonly Webhook[];
        /** Undefined if this controller puts nothing on objects, or if it is not known how it runs. */
        readonly job: object | undefined;
        /** What the administrator has to do in the end. */
        readonly atLast: string;
      }
    | { readonly kind: 'byHand'; readonly why: string; readonly how: string };
}

export interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly {
    readonly clientConfig?: { readonly service?: { readonly namespace?: string } };
  }[];
}

export interface Webhook {
  readonly resource: ApiResource<WebhookConfiguration>;
  readonly ref: ObjectRef;
}

/** What the controller has put on objects, and removes (docs/leave.md). */
export const onObjects: Readonly<Record<AppName, string | undefined>> = {
  'pvc-protection': 'finalizer of claims, condition Unused',
  'statefulset-pvc-retention': 'owner references and annotations of undo windows on claims',
  'pv-reclaim-honor': 'finalizer and annotations of volumes',
  'retroactive-default-sc': undefined,
};

const webhooksOf = (name: string): readonly Webhook[] =>
  [
    ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'] as const,
    ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'] as const,
  ].map(([kind, plural]) => ({
    resource: { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false },
    ref: { name },
  }));

/**
 * Decides how to uninstall each Deployment:
 *
 * | Deployment                                     | answer                                            |
 * |------------------------------------------------|---------------------------------------------------|
 * | made by Helm                                   | by hand: value `leave` of the chart does the same |
 * | has containers of others, a CSI driver's       | by hand: to scale it to zero would stop these     |
 * | else                                           | steps, unless {@link unlessOthersRun} refuses     |
 */
export function leavingOf(deployment: Deployment): Leaving | undefined {
  const { metadata } = deployment;
  const app = appNames.find((each) => each === metadata.labels?.['app.kubernetes.io/name']);
  if (app === undefined) {
    return undefined;
  }
  const { namespace = '', name, labels = {}, annotations = {} } = metadata;
  const own = { app, deployment, namespace };
  if (labels['app.kubernetes.io/managed-by'] === 'Helm') {
    const release = releaseOf(annotations['meta.helm.sh/release-name']);
    const value = app.replace(/-./g, (match) => match.slice(1).toUpperCase());
    return {
      ...own,
      course: {
        kind: 'byHand',
        why: `release ${release} of Helm would put it back`,
        how: `helm upgrade ${release} CHART -n ${namespace} --reset-then-reuse-values --set=${value}.leave=true`,
      },
    };
  }
  const containers = containersOfApp(deployment, app);
  const others = containersOf(deployment).filter((each) => !containers.includes(each));
  if (others.length > 0 || containers.length !== 1) {
    return {
      ...own,
      course: {
        kind: 'byHand',
        why: `deployment ${name} has other containers as well: ${others.map((each) => each.name ?? '').join(', ')}`,
        how: 'take the container out of it, and run the Job of docs/leave.md',
      },
    };
  }
  return {
    ...own,
    course: {
      kind: 'steps',
      webhooks: app === 'pvc-protection' ? webhooksOf('holdfast-pvc-protection') : [],
      job: onObjects[app] === undefined ? undefined : uninstallJob(app, deployment),
      atLast: 'kubectl delete what you applied (docs/leave.md)',
    },
  };
}

/**
 * Refuses to uninstall one of several pv-reclaim-honor while others run for the same namespaces. The Job can't
 * tell whose volumes are whose: it would release also those whose storage the others still have to delete.
 */
export function unlessOthersRun(leaving: Leaving, deployed: readonly Deployment[]): Leaving {
  if (leaving.app !== 'pv-reclaim-honor' || leaving.course.kind !== 'steps') {
    return leaving;
  }
  const [own] = installedOf([leaving.deployment]);
  const others = installedOf(deployed).filter(
    (each) =>
      own !== undefined &&
      each.app === leaving.app &&
      keyOf(each) !== keyOf(own) &&
      each.replicas > 0 &&
      overlap(each, own),
  );
  return others.length === 0
    ? leaving
    : {
        ...leaving,
        course: {
          kind: 'byHand',
          why: `others run as well (${others.map(keyOf).join(', ')}), and the Job would take their finalizers off volumes whose storage is still to be deleted`,
          how: 'scale them to zero, and run this again',
        },
      };
}

/** Accepts only valid names of Helm releases, because other text must not get into a shell command. */
function releaseOf(name = ''): string {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) ? name : 'RELEASE';
}

export function jobName(app: AppName): string {
  return `${app}-uninstall`;
}

/**
 * Builds the Job that removes what the controller has put on objects: the controller's pod with its flags,
 * its rights and `--uninstall`, without what only a server needs. The Job writes even if the Deployment runs
 * with `--dry-run`, however that was given, because the last occurrence of a flag counts. It stays for a day
 * after its end, because only its log names the storage that was left behind.
 */
function uninstallJob(app: AppName, deployment: Deployment): object {
  const { spec: pod = {} } = deployment.spec?.template ?? {};
  const [container = {}] = containersOfApp(deployment, app);
  const kept = without(container, ['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']);
  const labels = { 'app.kubernetes.io/name': jobName(app), 'app.kubernetes.io/part-of': 'holdfast' };
  return {
    metadata: { name: jobName(app), labels },
    spec: {
      backoffLimit: 2,
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels },
        spec: {
          ...without(pod, ['topologySpreadConstraints', 'affinity', 'restartPolicy']),
          restartPolicy: 'Never',
          containers: [{ ...kept, args: [...(container.args ?? []), '--uninstall', '--dry-run=false'] }],
        },
      },
    },
  };
}

function without(object: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

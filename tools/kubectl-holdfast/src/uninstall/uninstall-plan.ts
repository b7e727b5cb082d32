import type { ApiResource, ObjectRef } from '@holdfast/core';
import {
  containersOf,
  containersOfApp,
  mightRun,
  type Container,
  type Deployment,
} from '../cluster/deployment.ts';
import { installedOf, keyOf, overlap } from '../preflight/installed.ts';
import { appNames } from '../survey/controllers.ts';
import type { AppName } from '../cluster/release.ts';
import { defaultConfigurationName, type WebhookConfiguration } from './others-webhooks.ts';
import type { UnseenProcess } from './unseen-processes.ts';

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
        readonly job: UninstallJob | undefined;
        /** What the administrator has to do in the end. */
        readonly atLast: string;
      }
    | { readonly kind: 'byHand'; readonly why: string; readonly how: string };
}

/** A Job as it is created. */
export interface UninstallJob {
  readonly metadata: object;
  readonly spec: object;
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
    const section = app.replace(/-./g, (match) => match.slice(1).toUpperCase());
    // The chart has no value `leave` for a controller that puts nothing on objects.
    const value = `${section}.${onObjects[app] === undefined ? 'enabled=false' : 'leave=true'}`;
    return {
      ...own,
      course: {
        kind: 'byHand',
        why: `release ${release} of Helm would put it back`,
        how: `helm upgrade ${release} CHART -n ${namespace} --reset-then-reuse-values --set=${value}`,
      },
    };
  }
  const containers = containersOfApp(deployment, app);
  const others = othersIn(deployment, app);
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
      webhooks: webhooksOf(deployment, app),
      job: onObjects[app] === undefined ? undefined : uninstallJob(app, deployment),
      atLast: 'kubectl delete what you applied (docs/leave.md)',
    },
  };
}

/**
 * The webhook configurations of a Deployment that serves webhooks, or might. If it does not, nobody has to have
 * permission to read them: they are cluster-scoped.
 */
function webhooksOf(deployment: Deployment, app: AppName): readonly Webhook[] {
  const { flags, hidden } = installedOf([deployment])[0] ?? {};
  const serves = hidden !== undefined || (flags?.get('webhook-bind-address') ?? '0') !== '0';
  if (app !== 'pvc-protection' || !serves) {
    return [];
  }
  const ref = { name: flags?.get('webhook-configuration-name') ?? defaultConfigurationName };
  return [
    ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'] as const,
    ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'] as const,
  ].map(([kind, plural]) => ({
    resource: { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false },
    ref,
  }));
}

/** The containers beside the controller's own that run as long as the pod does. */
function othersIn(deployment: Deployment, app: AppName): readonly Container[] {
  const own = containersOfApp(deployment, app);
  const { initContainers = [] } = deployment.spec?.template?.spec ?? {};
  return [
    ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'),
    ...containersOf(deployment).filter((each) => !own.includes(each)),
  ];
}

/** The Deployments of Holdfast's controllers, as far as they may be listed. */
export interface Deployed {
  readonly items: readonly Deployment[];
  /** Whether these are the Deployments of all namespaces. */
  readonly isWhole: boolean;
  /** Processes that none of these runs. */
  readonly unseen: readonly UnseenProcess[];
}

/**
 * Refuses to uninstall one of several pv-reclaim-honor while others run for the same namespaces, or might in
 * namespaces whose Deployments may not be listed. The Job can't tell whose volumes are whose: it would release
 * also those whose storage the others still have to delete. Whoever runs the Job by hand is told to stop the others
 * first; the chart stops all of its own release.
 */
export function unlessOthersRun(leaving: Leaving, { items, isWhole, unseen: allUnseen }: Deployed): Leaving {
  if (leaving.app !== 'pv-reclaim-honor') {
    return leaving;
  }
  const byHand = (why: string, how: string): Leaving => ({
    ...leaving,
    course: { kind: 'byHand', why, how },
  });
  const [own] = installedOf([leaving.deployment]);
  const release = releaseKeyOf(leaving.deployment);
  const running = items
    .filter(mightRun)
    .filter((each) => release === undefined || releaseKeyOf(each) !== release);
  const others = installedOf(running).filter(
    (each) =>
      own !== undefined && each.app === leaving.app && keyOf(each) !== keyOf(own) && overlap(each, own),
  );
  const unseen = allUnseen.filter(({ app }) => app === leaving.app);
  if (leaving.course.kind === 'byHand') {
    const all = [
      ...others.map(keyOf),
      ...unseen.map(({ because }) => because),
      ...(isWhole ? [] : ['any in namespaces whose deployments you may not list']),
    ].join(', ');
    const how = `first stop the others (${all}), since the Job would take their finalizers off volumes whose storage is still to be deleted; then ${leaving.course.how}`;
    return all === '' ? leaving : byHand(leaving.course.why, how);
  }
  if (others.length > 0) {
    const isShared = running.some(
      (each) =>
        othersIn(each, leaving.app).length > 0 &&
        others.some(({ namespace, name }) => isNamed(each, namespace, name)),
    );
    return byHand(
      `others run as well (${others.map(keyOf).join(', ')}), and the Job would take their finalizers off volumes whose storage is still to be deleted`,
      isShared
        ? 'scale them to zero, or take the container out where a CSI driver is in the pod, and run this again'
        : 'scale them to zero, and run this again',
    );
  }
  if (unseen.length > 0) {
    return byHand(
      `other processes of it run that no deployment shows (${unseen.map(({ because }) => because).join(', ')}), and the Job would take their finalizers off volumes whose storage is still to be deleted`,
      'stop them, such as a container in the StatefulSet of a CSI driver, and run this again',
    );
  }
  return isWhole
    ? leaving
    : byHand(
        'you may not list deployments of other namespaces, and the Job would take the finalizers of another pv-reclaim-honor there off volumes whose storage is still to be deleted',
        'have it run by somebody who may list deployments of all namespaces',
      );
}

function isNamed({ metadata }: Deployment, namespace: string, name: string): boolean {
  return metadata.namespace === namespace && metadata.name === name;
}

/** The release of Helm that made it; undefined if none did. */
function releaseKeyOf({
  metadata: { namespace = '', labels = {}, annotations = {} },
}: Deployment): string | undefined {
  return labels['app.kubernetes.io/managed-by'] === 'Helm'
    ? `${namespace}/${annotations['meta.helm.sh/release-name'] ?? ''}`
    : undefined;
}

/** Accepts only valid names of Helm releases, because other text must not get into a shell command. */
function releaseOf(name = ''): string {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) ? name : 'RELEASE';
}

/** Names the Job after the Deployment, because there can be several of one controller in a namespace. */
export function jobName({ metadata: { name } }: Deployment, run = 1): string {
  const suffix = run === 1 ? '-uninstall' : `-uninstall-${String(run)}`;
  return `${name.slice(0, longestJobName - suffix.length).replace(/[^a-z0-9]+$/, '')}${suffix}`;
}

/** The Job's name becomes a label of its pods. */
const longestJobName = 63;

/**
 * Builds the Job that removes what the controller has put on objects: the controller's pod with its flags,
 * its rights and `--uninstall`, without what only a server needs. The Job writes even if the Deployment runs
 * with `--dry-run`, however that was given, because the last occurrence of a flag counts. It stays for a day
 * after its end, because only its log names the storage that was left behind.
 */
function uninstallJob(app: AppName, deployment: Deployment): UninstallJob {
  const { spec: pod = {} } = deployment.spec?.template ?? {};
  const [container = {}] = containersOfApp(deployment, app);
  const kept = without(container, ['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']);
  const labels = { 'app.kubernetes.io/name': `${app}-uninstall`, 'app.kubernetes.io/part-of': 'holdfast' };
  return {
    metadata: { name: jobName(deployment), labels },
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

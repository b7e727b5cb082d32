import { appNames } from '../survey/controllers.ts';
import type { AppName } from '../cluster/release.ts';
import type { Feature } from './kubernetes-feature.ts';
import type { ProvisionerFinding } from './provisioner.ts';

/** Whether a controller of Holdfast has work in the cluster that nothing else does. */
export interface Need {
  readonly app: AppName;
  /** `noUse`: the work is not done, but the controller could not do it in this cluster either. */
  readonly needed: 'yes' | 'no' | 'noUse' | 'unknown';
  readonly because: string;
  /** What the controller adds if Kubernetes does the rest. */
  readonly adds: string;
}

const adds: Readonly<Record<AppName, string>> = {
  'pvc-protection':
    'finished pods let go of claims, Events, a guard for terminating claims, condition Unused',
  'statefulset-pvc-retention': 'undo windows, missed scale-downs, workloads of other kinds',
  'pv-reclaim-honor': 'undo windows, a report of leaked storage, static volumes',
  'retroactive-default-sc': 'at once instead of at the next resync, a live look before the write',
};

/**
 * | controller             | Kubernetes does it | csi-provisioners             | needed  |
 * |------------------------|--------------------|------------------------------|---------|
 * | retroactive-default-sc | no                 | -                            | no use: the API server refuses a class that comes later |
 * | pv-reclaim-honor       | no                 | -                            | yes     |
 * | pv-reclaim-honor       | yes                | one does not honor           | yes     |
 * | pv-reclaim-honor       | yes                | one, or all, are not known   | unknown |
 * | pv-reclaim-honor       | yes                | all honor                    | no      |
 * | another                | no                 | -                            | yes     |
 * | another                | yes                | -                            | no      |
 * | any                    | not known          | -                            | unknown |
 *
 * @param provisioners undefined: they may not be listed.
 */
export function needsOf(
  features: Readonly<Record<AppName, Feature>>,
  provisioners: readonly ProvisionerFinding[] | undefined,
): readonly Need[] {
  return appNames.map((app) => {
    const { state, because } = features[app];
    const own = { app, adds: adds[app] };
    if (state === 'unknown') {
      return { ...own, needed: 'unknown', because };
    }
    if (state === 'on') {
      return app === 'pv-reclaim-honor'
        ? { ...own, ...byProvisioners(provisioners) }
        : { ...own, needed: 'no', because: `Kubernetes does it: ${because}` };
    }
    return app === 'retroactive-default-sc'
      ? { ...own, needed: 'noUse', because: `the API server refuses a class that comes later: ${because}` }
      : { ...own, needed: 'yes', because: `Kubernetes does not do it: ${because}` };
  });
}

function byProvisioners(
  provisioners: readonly ProvisionerFinding[] | undefined,
): Pick<Need, 'needed' | 'because'> {
  if (provisioners === undefined) {
    return { needed: 'unknown', because: 'you may not list the workloads that csi-provisioner is part of' };
  }
  const lacking = provisioners.find(({ does }) => does !== 'honors' && does !== 'unknown');
  if (lacking !== undefined) {
    return { needed: 'yes', because: `csi-provisioner of ${addressOf(lacking)}: ${lacking.because}` };
  }
  const dark = provisioners.find(({ does }) => does === 'unknown');
  if (dark !== undefined) {
    return { needed: 'unknown', because: `csi-provisioner of ${addressOf(dark)}: ${dark.because}` };
  }
  return provisioners.length === 0
    ? {
        needed: 'unknown',
        because: 'no csi-provisioner was found; drivers can have theirs outside the cluster',
      }
    : {
        needed: 'no',
        because: 'kube-controller-manager does it for in-tree volumes, and each csi-provisioner for its own',
      };
}

export function addressOf({
  namespace,
  workload,
}: Pick<ProvisionerFinding, 'namespace' | 'workload'>): string {
  return `${namespace}/${workload}`;
}

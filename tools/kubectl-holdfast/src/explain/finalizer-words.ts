import type { SourceName } from '../sources.ts';

/** Which component removes a finalizer of a claim or a volume, and when. */
export interface FinalizerRule {
  readonly who: string;
  readonly when: string;
  readonly source: SourceName;
}

const provisioner = 'external-provisioner, or Holdfast pv-reclaim-honor,';

const rules: Readonly<Record<string, FinalizerRule>> = {
  'kubernetes.io/pvc-protection': {
    who: 'kube-controller-manager, or Holdfast pvc-protection,',
    when: 'once no pod uses the claim',
    source: 'claimProtection',
  },
  'kubernetes.io/pv-protection': {
    who: 'kube-controller-manager',
    when: 'once the volume is not bound',
    source: 'volumeProtection',
  },
  'external-provisioner.volume.kubernetes.io/finalizer': {
    who: provisioner,
    when: 'once the CSI driver has deleted the storage, or the policy is not Delete any more',
    source: 'reclaim',
  },
  'kubernetes.io/pv-controller': {
    who: 'kube-controller-manager, or Holdfast pv-reclaim-honor,',
    when: 'once the plugin has deleted the storage, or the policy is not Delete any more',
    source: 'reclaim',
  },
  'holdfast.dev/host-path': {
    who: 'Holdfast pv-reclaim-honor',
    when: 'once the folder is deleted on its node, or the policy is not Delete any more',
    source: 'reclaim',
  },
  'holdfast.dev/undo-window': {
    who: 'Holdfast pv-reclaim-honor',
    when: 'once the undo window is over and the storage is deleted, or the volume is given back',
    source: 'reclaimWindow',
  },
  'snapshot.storage.kubernetes.io/pvc-as-source-protection': {
    who: 'the snapshot-controller (external-snapshotter)',
    when: 'once no VolumeSnapshot of the claim waits to be ready',
    source: 'finalizers',
  },
  'provisioner.storage.kubernetes.io/cloning-protection': {
    who: 'external-provisioner',
    when: 'once no claim that clones it waits for its volume',
    source: 'finalizers',
  },
  foregroundDeletion: {
    who: 'the garbage collector',
    when: 'once the dependents that block it are gone',
    source: 'garbageCollection',
  },
  orphan: {
    who: 'the garbage collector',
    when: 'once its dependents no longer refer to it',
    source: 'orphaning',
  },
};

/** @param recorded the finalizer that pv-reclaim-honor has recorded on the volume as its own */
export function finalizerRule(finalizer: string, recorded?: string): FinalizerRule {
  const rule = Object.hasOwn(rules, finalizer) ? rules[finalizer] : undefined;
  if (rule !== undefined) {
    return rule;
  }
  if (finalizer.startsWith('external-attacher/')) {
    return { who: 'external-attacher', when: 'once the volume is attached to no node', source: 'attachment' };
  }
  const [, populator] = /^(.+)\/populate-target-protection$/.exec(finalizer) ?? [];
  if (populator !== undefined) {
    return {
      who: `the volume populator of ${populator}`,
      when: 'once it has filled the claim, or cleaned up',
      source: 'finalizers',
    };
  }
  return finalizer === recorded
    ? {
        who: 'Holdfast pv-reclaim-honor',
        when: 'once the storage is deleted, or the policy is not Delete any more',
        source: 'reclaim',
      }
    : { who: `whatever put "${finalizer}" there`, when: 'when it sees fit', source: 'finalizers' };
}

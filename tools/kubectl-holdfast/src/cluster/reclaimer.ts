import { finalizers, type FeatureGates, type PersistentVolume } from '@holdfast/core';
import { gates, recordedHold, type GateName } from '@holdfast/pv-reclaim-honor/decide';
import { shortestWait, type SeenWait, type WindowKeeper } from '../plan/vacancy-wait.ts';
import { namespacesIn } from './deployment.ts';
import { gatesOf, hiddenAmong, isFlagKnown, looksAfter, type AtWork } from './holdfast-at-work.ts';

/** How pv-reclaim-honor is at work for a volume. */
export interface Reclaimer {
  readonly gates: FeatureGates<GateName>;
  readonly mode: 'guard' | 'reclaim';
  /** The value of `--csi-finalizer`. */
  readonly csiFinalizer: string;
  /** The namespaces of claims that it serves; empty for all. */
  readonly namespaces: readonly string[];
}

export interface SeenReclaimer {
  /** Undefined if it is not at work for the volume, or if that is not known. */
  readonly reclaimer: Reclaimer | undefined;
  /** Why it might act otherwise; undefined if its flags are known. */
  readonly hidden: string | undefined;
  readonly keeper: WindowKeeper;
}

const decisiveFlags = ['feature-gates', 'mode', 'csi-finalizer', 'leader-elect-resource-name'];

/**
 * Finds the Deployment of pv-reclaim-honor that serves a volume. There can be one for each driver, and no
 * flag says which driver is behind a socket:
 *
 * | Deployments at work, with a socket, that serve the claim's namespace     | answer        |
 * |--------------------------------------------------------------------------|---------------|
 * | none                                                                     | not at work   |
 * | all alike                                                                | as these      |
 * | those alike that hold by the finalizer that is recorded on the volume    | as these      |
 * | else                                                                     | not known     |
 */
export function reclaimerOf(atWork: AtWork, volume: PersistentVolume): SeenReclaimer {
  const serving = allOf(atWork).filter((each) => each.state === 'atWork' && serves(each, volume));
  const recorded = serving.filter((each) => reclaimerBy(each).csiFinalizer === recordedHold(volume));
  const alike = [serving, recorded].find((some) => new Set(some.map(textOf)).size === 1);
  const [chosen] = alike ?? [];
  const keeper = {
    absent: serving.length > 0 ? undefined : whyAbsent(atWork, volume),
    wait: shortestWait(
      [alike ?? [], serving, allOf(atWork)].find((some) => some.length > 0)?.map(waitOf) ?? [],
    ),
  };
  if (serving.length === 0) {
    return { reclaimer: undefined, hidden: hiddenAmong(atWork, decisiveFlags), keeper };
  }
  return chosen === undefined
    ? {
        reclaimer: undefined,
        hidden: `its Deployments have different ones, and nothing shows which has driver ${volume.spec?.csi?.driver ?? ''}`,
        keeper,
      }
    : { reclaimer: reclaimerBy(chosen), hidden: hiddenAmong(chosen, decisiveFlags), keeper };
}

function allOf(atWork: AtWork): readonly Omit<AtWork, 'others'>[] {
  return [atWork, ...(atWork.others ?? [])];
}

/** Whether it has a socket or a folder root, by which it might delete the volume, and serves the claim's namespace. */
function serves(each: Omit<AtWork, 'others'>, { spec }: PersistentVolume): boolean {
  const isOfKind =
    spec?.hostPath === undefined
      ? each.flags.has('csi-address') || !isFlagKnown(each, 'csi-address')
      : each.flags.get('host-path-root') !== 'none';
  return isOfKind && looksAfter(each, spec?.claimRef?.namespace ?? '');
}

/** Undefined if it might be at work for the volume. */
function whyAbsent(atWork: AtWork, volume: PersistentVolume): string | undefined {
  const all = allOf(atWork);
  const isUnsure = all.some(
    (each) => each.state === 'unknown' || hiddenAmong(each, absenceFlags) !== undefined,
  );
  if (isUnsure) {
    return undefined;
  }
  return all.some(({ state }) => state === 'atWork')
    ? `none of its Deployments serves ${volume.spec?.hostPath === undefined ? 'CSI' : 'hostPath'} volumes of namespace ${volume.spec?.claimRef?.namespace ?? ''}`
    : atWork.because;
}

/** Flags that might show that it is at work after all. */
const absenceFlags = ['csi-address', 'namespaces', 'host-path-root', 'leader-elect-resource-name', 'dry-run'];

function waitOf({ wait = { kind: 'none' } }: Pick<AtWork, 'wait'>): SeenWait {
  return wait;
}

/** Whether it sees the claims of a namespace. */
export function seesClaimsOf({ namespaces }: Pick<Reclaimer, 'namespaces'>, namespace: string): boolean {
  return namespaces.length === 0 || namespaces.includes(namespace);
}

/** Whether it gives undo windows: in mode guard, another provisioner deletes, which knows of none. */
export function givesWindows({ mode, gates: own }: Reclaimer): boolean {
  return mode === 'reclaim' && own.enabled('ReclaimGracePeriod');
}

function reclaimerBy(atWork: Pick<AtWork, 'flags'>): Reclaimer {
  return {
    gates: gatesOf(gates, atWork),
    mode: atWork.flags.get('mode') === 'guard' ? 'guard' : 'reclaim',
    csiFinalizer: atWork.flags.get('csi-finalizer') ?? finalizers.externalProvisioner,
    namespaces: namespacesIn(atWork.flags.get('namespaces') ?? ''),
  };
}

function textOf(atWork: Pick<AtWork, 'flags'>): string {
  const { gates: own, mode, csiFinalizer } = reclaimerBy(atWork);
  return JSON.stringify([own.all(), mode, csiFinalizer]);
}

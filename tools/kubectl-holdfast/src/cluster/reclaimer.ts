import { finalizers, type FeatureGates, type PersistentVolume } from '@holdfast/core';
import { gates, recordedHold, type GateName } from '@holdfast/pv-reclaim-honor/decide';
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
}

const decisiveFlags = ['feature-gates', 'mode', 'csi-finalizer', 'leader-elect-resource-name'];

/**
 * Finds the Deployment of pv-reclaim-honor that serves a CSI volume. There can be one for each driver, and no
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
  const namespace = volume.spec?.claimRef?.namespace ?? '';
  const serving = [atWork, ...(atWork.others ?? [])].filter(
    (each) =>
      each.state === 'atWork' &&
      looksAfter(each, namespace) &&
      (each.flags.has('csi-address') || !isFlagKnown(each, 'csi-address')),
  );
  const [first] = serving;
  if (first === undefined) {
    return { reclaimer: undefined, hidden: hiddenAmong(atWork, decisiveFlags) };
  }
  const recorded = serving.filter((each) => reclaimerBy(each).csiFinalizer === recordedHold(volume));
  const alike = [serving, recorded].find((some) => new Set(some.map(textOf)).size === 1);
  const [chosen] = alike ?? [];
  return chosen === undefined
    ? {
        reclaimer: undefined,
        hidden: `its Deployments have different ones, and nothing shows which has driver ${volume.spec?.csi?.driver ?? ''}`,
      }
    : { reclaimer: reclaimerBy(chosen), hidden: hiddenAmong(chosen, decisiveFlags) };
}

function reclaimerBy(atWork: AtWork): Reclaimer {
  return {
    gates: gatesOf(gates, atWork),
    mode: atWork.flags.get('mode') === 'guard' ? 'guard' : 'reclaim',
    csiFinalizer: atWork.flags.get('csi-finalizer') ?? finalizers.externalProvisioner,
    namespaces: namespacesIn(atWork.flags.get('namespaces') ?? ''),
  };
}

function textOf(atWork: AtWork): string {
  const { gates: own, mode, csiFinalizer } = reclaimerBy(atWork);
  return JSON.stringify([own.all(), mode, csiFinalizer]);
}

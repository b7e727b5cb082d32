import { parseFeatureGates, type FeatureGateSpecs } from '@holdfast/core';
import { gates as reclaimGates } from '@holdfast/pv-reclaim-honor/decide';
import { gates as protectionGates } from '@holdfast/pvc-protection/decide';
import { gates as classGates } from '@holdfast/retroactive-default-sc/decide';
import { gates as retentionGates } from '@holdfast/statefulset-pvc-retention/decide';
import { gatesOf, isFlagKnown, type AtWork } from '../cluster/holdfast-at-work.ts';
import { stageIn, stockFeatures, type AppName, type Release } from '../cluster/release.ts';

const specs: Readonly<Record<AppName, FeatureGateSpecs>> = {
  'pvc-protection': protectionGates,
  'statefulset-pvc-retention': retentionGates,
  'pv-reclaim-honor': reclaimGates,
  'retroactive-default-sc': classGates,
};

export const appNames = Object.keys(specs) as readonly AppName[];

/** A gate of one of the controllers, or of Kubernetes. */
export interface GateRow {
  readonly gate: string;
  readonly of: AppName | 'Kubernetes';
  readonly stage: string;
  readonly on: string;
}

/**
 * Returns the gates of Kubernetes for which Holdfast stands in, and those of Holdfast's controllers that are
 * at work.
 */
export function gateRows(
  release: Release | undefined,
  atWork: Readonly<Record<AppName, AtWork>>,
): readonly GateRow[] {
  const onByStage = {
    absent: 'no, not in this release',
    alpha: 'no, unless turned on',
    beta: 'yes, unless turned off',
    GA: 'yes',
    unknown: 'unknown',
  };
  return appNames.flatMap((app) => {
    const stage = stageIn(stockFeatures[app], release);
    const own = atWork[app];
    const gates = own.state === 'absent' ? parseFeatureGates(specs[app], '') : gatesOf(specs[app], own);
    return [
      { gate: stockFeatures[app].gate, of: 'Kubernetes', stage, on: onByStage[stage] } as const,
      ...gates.all().map(({ name, stage: ownStage, enabled }) => ({
        gate: name,
        of: app,
        stage: ownStage,
        on: onOfAll(specs[app], own, name, enabled),
      })),
    ];
  });
}

/** A controller can be deployed several times, each with gates of its own. */
function onOfAll(gateSpecs: FeatureGateSpecs, own: AtWork, gate: string, enabled: boolean): string {
  const others = (own.others ?? []).map((each) => onOf(each, gatesOf(gateSpecs, each).enabled(gate)));
  const all = [...new Set([onOf(own, enabled), ...others])];
  return all.length === 1 ? all.join() : `${all.join(' or ')}, by Deployment: see status`;
}

/** Flags that are not known might set the gate otherwise. */
function onOf(own: AtWork, enabled: boolean): string {
  const isKnown = isFlagKnown(own, 'feature-gates');
  switch (own.state) {
    case 'absent':
      return 'not at work';
    case 'unknown':
      return isKnown ? (enabled ? 'yes' : 'no') : 'unknown';
    case 'atWork':
      return `${enabled ? 'yes' : 'no'}${isKnown ? '' : enabled ? ', unless turned off' : ', unless turned on'}`;
  }
}

/** Whether it is known for each controller if it is at work. */
export function isAllKnown(atWork: Readonly<Record<AppName, AtWork>>): boolean {
  return appNames.every((app) => atWork[app].isDeployed || atWork[app].state !== 'unknown');
}

/** Whether every Deployment of every deployed controller is at work; true if nothing is deployed. */
export function isAllAtWork(atWork: Readonly<Record<AppName, AtWork>>): boolean {
  return appNames
    .flatMap((app) => [atWork[app], ...(atWork[app].others ?? [])])
    .every(({ isDeployed, state }) => !isDeployed || state === 'atWork');
}

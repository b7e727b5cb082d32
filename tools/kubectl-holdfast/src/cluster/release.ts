import { urlPath } from '@holdfast/core';
import type { ConnectedClient } from '@holdfast/runtime';
import { unlessRefused } from './refused.ts';

/** A release of Kubernetes, `1.36`. */
export interface Release {
  readonly minor: number;
  /** As the API server reports it, for example `v1.36.3`. */
  readonly text: string;
}

/** Reads the API server's release; undefined if it reports none of the form v1.x, or not to this user. */
export async function readRelease(client: Pick<ConnectedClient, 'document'>): Promise<Release | undefined> {
  const { gitVersion } = ((await unlessRefused(client.document(urlPath('version')))) ?? {}) as {
    readonly gitVersion?: unknown;
  };
  const [, minor] = typeof gitVersion === 'string' ? (/^v1\.(\d+)\b/.exec(gitVersion) ?? []) : [];
  return minor === undefined || typeof gitVersion !== 'string'
    ? undefined
    : { minor: Number(minor), text: gitVersion };
}

/** The releases that decide whether kube-controller-manager does what a gate stands for. */
export interface StockFeature {
  readonly gate: string;
  readonly alpha: number;
  readonly beta: number;
  readonly ga: number;
}

/**
 * The gates of Kubernetes for which the four controllers stand in, with the minor releases of their stages
 * (docs/compatibility.md).
 */
export const stockFeatures = {
  'pvc-protection': { gate: 'StorageObjectInUseProtection', alpha: 9, beta: 10, ga: 11 },
  'statefulset-pvc-retention': { gate: 'StatefulSetAutoDeletePVC', alpha: 23, beta: 27, ga: 32 },
  'pv-reclaim-honor': { gate: 'HonorPVReclaimPolicy', alpha: 23, beta: 31, ga: 33 },
  'retroactive-default-sc': { gate: 'RetroactiveDefaultStorageClass', alpha: 25, beta: 26, ga: 28 },
} as const satisfies Readonly<Record<string, StockFeature>>;

export type AppName = keyof typeof stockFeatures;

/**
 * Returns what the release alone says about a gate:
 *
 * | release            | answer                              |
 * |--------------------|-------------------------------------|
 * | before alpha       | absent                              |
 * | alpha              | off unless it is turned on          |
 * | beta               | on unless it is turned off          |
 * | GA                 | on                                  |
 * | not known          | unknown                             |
 */
export function stageIn(
  { alpha, beta, ga }: StockFeature,
  release: Release | undefined,
): 'absent' | 'alpha' | 'beta' | 'GA' | 'unknown' {
  if (release === undefined) {
    return 'unknown';
  }
  const { minor } = release;
  return minor >= ga ? 'GA' : minor >= beta ? 'beta' : minor >= alpha ? 'alpha' : 'absent';
}

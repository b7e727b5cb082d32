import { append } from '../meta/append.ts';
import { claimSpecWarnings } from './claim-spec.ts';
import type { Volume, VolumeProjection } from './pod-spec.ts';

/* Warnings about the volumes of pods: removed plugins, and files that hide each other. */

/** In the order of the API server. One of them is about a claim template. */
const plugins: readonly { readonly field: string; readonly named?: string; readonly message: string }[] = [
  { field: 'photonPersistentDisk', message: 'deprecated in v1.11, non-functional in v1.16+' },
  { field: 'gitRepo', message: 'deprecated in v1.11, and disabled by default in v1.33+' },
  { field: 'scaleIO', message: 'deprecated in v1.16, non-functional in v1.22+' },
  { field: 'flocker', message: 'deprecated in v1.22, non-functional in v1.25+' },
  { field: 'storageos', named: 'storageOS', message: 'deprecated in v1.22, non-functional in v1.25+' },
  { field: 'quobyte', message: 'deprecated in v1.22, non-functional in v1.25+' },
  { field: 'glusterfs', message: 'deprecated in v1.25, non-functional in v1.26+' },
  { field: 'cephfs', message: 'deprecated in v1.28, non-functional in v1.31+' },
  { field: 'rbd', message: 'deprecated in v1.28, non-functional in v1.31+' },
];

/**
 * The order of the plugins never shows, because a volume has one source.
 *
 * @param path of the volume
 */
export function volumeSourceWarnings(volume: Volume, path: string): readonly string[] {
  const template = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...plugins
      .filter(({ field }) => volume[field] !== undefined)
      .map(({ field, named = field, message }) => `${path}.${named}: ${message}`),
    ...(template === undefined
      ? []
      : claimSpecWarnings(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`)),
  ];
}

interface MountedFile {
  readonly path: string;
  /** The projected source of the file. Empty if the whole volume has a single source. */
  readonly source: string;
}

/** Files of one volume that have the same path, or whose path another file needs as a directory. */
export function overlapWarnings(volume: Volume): readonly string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  const warnings: string[] = [];
  const warnOf = (source: string, overlaps: readonly string[]): void => {
    append(
      warnings,
      overlaps.map((overlap) => `volume "${name}" (${source}): overlapping paths: ${overlap}`),
    );
  };
  warnOf(`ConfigMap "${configMap?.name ?? ''}"`, overlapsOf(filesOf(configMap?.items, '')));
  warnOf(`Secret "${secret?.secretName ?? ''}"`, overlapsOf(filesOf(secret?.items, '')));
  warnOf('DownwardAPI', overlapsOf(filesOf(downwardAPI?.items, '')));
  const before: MountedFile[] = [];
  for (const source of projected?.sources ?? []) {
    const files = projectedFiles(source);
    if (isEmpty(source)) {
      warnings.push(`volume "${name}" (Projected) has no sources provided`);
    }
    warnOf('Projected', overlapsOf(files, before));
    append(before, files);
  }
  return warnings;
}

function filesOf(items: readonly { readonly path: string }[] | undefined, source: string): MountedFile[] {
  return (items ?? []).map(({ path }) => ({ path: path.replace(/\/+$/, ''), source }));
}

function projectedFiles({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
}: VolumeProjection): readonly MountedFile[] {
  if (configMap?.items !== undefined) {
    return filesOf(configMap.items, `ConfigMap "${configMap.name ?? ''}"`);
  }
  if (secret?.items !== undefined) {
    return filesOf(secret.items, `Secret "${secret.name ?? ''}"`);
  }
  if (downwardAPI?.items !== undefined) {
    return filesOf(downwardAPI.items, 'DownwardAPI');
  }
  return serviceAccountToken === undefined ? [] : filesOf([serviceAccountToken], 'ServiceAccountToken');
}

/** The remaining kinds of sources are behind feature gates that are off by default, so they are dropped. */
function isEmpty({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): boolean {
  return [configMap, secret, downwardAPI, serviceAccountToken].every((source) => source === undefined);
}

/** Compares each file with those before it. */
function overlapsOf(files: readonly MountedFile[], before: readonly MountedFile[] = []): readonly string[] {
  return files.flatMap((file, index) =>
    [...before, ...files.slice(0, index)]
      .filter((other) => isOverlap(file.path, other.path))
      .map((other) => `${describe(file)} with ${describe(other)}`),
  );
}

function isOverlap(a: string, b: string): boolean {
  return a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
}

function describe({ path, source }: MountedFile): string {
  return source === '' ? `"${path}"` : `"${path}" (${source})`;
}

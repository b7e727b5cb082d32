import type { Pod } from './resources.ts';

/** How a pod refers to one of the claims that it uses. */
export interface ClaimUse {
  readonly claimName: string;
  /** The claim is made for a generic ephemeral volume. It is the pod's claim only if the pod controls it. */
  readonly ephemeral: boolean;
}

/**
 * Returns the claims that the pod's volumes name, in the order of the volumes.
 *
 * @throws Error if the claim name of a volume, or the name of an ephemeral volume, cannot be read: it could
 *   be any claim of the namespace.
 */
export function claimUses(pod: Pod): readonly ClaimUse[] {
  const uses: ClaimUse[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined) {
      const claimName: unknown = volume.persistentVolumeClaim.claimName;
      if (typeof claimName !== 'string' || claimName === '') {
        throw new Error(
          `pod ${pod.metadata.name}: volume "${volume.name}" names no claim, but ${JSON.stringify(claimName)}`,
        );
      }
      uses.push({ claimName, ephemeral: false });
    } else if (volume.ephemeral !== undefined) {
      const name: unknown = volume.name;
      if (typeof name !== 'string' || name === '') {
        throw new Error(
          `pod ${pod.metadata.name}: an ephemeral volume has no name, but ${JSON.stringify(name)}`,
        );
      }
      uses.push({ claimName: ephemeralClaimName(pod, name), ephemeral: true });
    }
  }
  return uses;
}

/** The name of the claim that is made for a pod's generic ephemeral volume (KEP-1698). */
function ephemeralClaimName(pod: Pod, volumeName: string): string {
  return `${pod.metadata.name}-${volumeName}`;
}

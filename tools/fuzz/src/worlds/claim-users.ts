import { isUnset, objectIn, type Mutable } from '../json.ts';
import type { Objects } from '../odd-server.ts';

/*
 * What pods and attachments say about a claim, read from the raw objects without any assumption: "unknown"
 * wherever the deciding field cannot be read. Written from the specification of pvc-protection; shares no
 * code with it.
 */

/** Whether anything might use the claim, or still mount its volume. */
export function mightBeUsed(claim: Readonly<Mutable>, namespace: string, objects: Objects): boolean {
  const attachments = of(objects, 'volumeattachments.storage.k8s.io/');
  return of(objects, `pods/${namespace}/`).some((pod) => podMightUse(pod, claim, attachments));
}

function of(objects: Objects, prefix: string): readonly Readonly<Mutable>[] {
  return [...objects].flatMap(([location, object]) => (location.startsWith(prefix) ? [object] : []));
}

function podMightUse(
  pod: Readonly<Mutable>,
  claim: Readonly<Mutable>,
  attachments: readonly Readonly<Mutable>[],
): boolean {
  const metadata = objectIn(pod['metadata']);
  const name = metadata?.['name'];
  if (isUnset(pod['spec'])) {
    return typeof name !== 'string';
  }
  const spec = objectIn(pod['spec']);
  if (spec === undefined || typeof name !== 'string') {
    return true;
  }
  const node = spec['nodeName'];
  if (isUnset(node) || node === '' || !mightName(pod, spec['volumes'], name, claim)) {
    return false;
  }
  if (!hasEnded(pod)) {
    return true;
  }
  const volume = objectIn(claim['spec'])?.['volumeName'];
  return !isUnset(volume) && volume !== '' && attachments.some((each) => mightAttach(each, volume, node));
}

function mightName(
  pod: Readonly<Mutable>,
  volumes: unknown,
  podName: string,
  claim: Readonly<Mutable>,
): boolean {
  if (isUnset(volumes)) {
    return false;
  }
  if (!Array.isArray(volumes)) {
    return true;
  }
  const claimName = objectIn(claim['metadata'])?.['name'];
  return volumes.some((each: unknown) => {
    const volume = objectIn(each);
    if (volume === undefined) {
      return true;
    }
    const direct = volume['persistentVolumeClaim'];
    if (!isUnset(direct)) {
      const named = objectIn(direct)?.['claimName'];
      return typeof named !== 'string' || named === '' || named === claimName;
    }
    if (isUnset(volume['ephemeral'])) {
      return false;
    }
    const own = volume['name'];
    return typeof own !== 'string' || (`${podName}-${own}` === claimName && mightControl(pod, claim));
  });
}

/** Whether the pod controls the claim, and its kubelet might not have ended it. */
function mightControl(pod: Readonly<Mutable>, claim: Readonly<Mutable>): boolean {
  const metadata = objectIn(pod['metadata']);
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  const isOver = !isUnset(deletionTimestamp) && deletionGracePeriodSeconds === 0;
  const owners = objectIn(claim['metadata'])?.['ownerReferences'];
  if (isOver || isUnset(owners)) {
    return false;
  }
  return (
    !Array.isArray(owners) ||
    owners.some((each: unknown) => {
      const owner = objectIn(each);
      return owner === undefined || (owner['controller'] === true && owner['uid'] === metadata?.['uid']);
    })
  );
}

function hasEnded(pod: Readonly<Mutable>): boolean {
  const status = objectIn(pod['status']);
  const phase = status?.['phase'];
  if (phase !== 'Succeeded' && phase !== 'Failed') {
    return false;
  }
  return ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].every((name) => {
    const containers = status?.[name];
    return (
      isUnset(containers) ||
      (Array.isArray(containers) &&
        containers.every((each: unknown) => {
          const container = objectIn(each);
          const state = container?.['state'];
          return (
            container !== undefined &&
            (isUnset(state) || (objectIn(state) !== undefined && isUnset(objectIn(state)?.['running'])))
          );
        }))
    );
  });
}

function mightAttach(attachment: Readonly<Mutable>, volume: unknown, node: unknown): boolean {
  const spec = objectIn(attachment['spec']);
  const source = objectIn(spec?.['source']);
  const attachedNode = spec?.['nodeName'];
  const named = source?.['persistentVolumeName'];
  const isOtherNode = typeof attachedNode === 'string' && attachedNode !== '' && attachedNode !== node;
  const isOtherVolume =
    typeof named === 'string' && named !== ''
      ? named !== volume
      : (isUnset(named) || named === '') && objectIn(source?.['inlineVolumeSpec']) !== undefined;
  return !isOtherNode && !isOtherVolume;
}

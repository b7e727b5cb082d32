import { byUid, firstTime, now, sinceRest, type History, type State } from '../history.ts';
import type { Model } from '../model.ts';
import { annotation, has, isEnding, names, uidOf, undoWindow, type PersistentVolume } from '../objects.ts';

/*
 * A volume with policy Delete is deleted on its storage, whatever is deleted first; every other volume keeps its data
 * (KEP-2644).
 *
 * - Must survive: data of a volume whose policy was not Delete at any moment since the last rest; of one that no claim
 *   ever had; while its claim is there; while it is attached, as it was when the claim went; while another volume over
 *   the same folder needs it; within its undo window.
 * - Left open, though it is promised: data of a volume that a claim asked for within its undo window, once the window
 *   is over.
 * - Must not stay: data of a volume that goes, if it had been bound, with policy Delete, and held at the last rest.
 *   That is a leak.
 * - Must go: a released volume with policy Delete that is held, whose window is over. Must come: the finalizer on each
 *   bound volume with policy Delete; it must be gone from others.
 */
export const pvReclaimHonor: Model = {
  app: 'pv-reclaim-honor',
  lost: ({ history, after, time }) => {
    const before = now(history).state;
    const deleted = [...before.data].filter((name) => !after.data.has(name));
    const left = [...before.volumes.values()].filter(({ metadata }) => !after.volumes.has(metadata.name));
    return [
      ...deleted.flatMap((name) =>
        needs(name, history, time).map((why) => `data of ${name} was deleted ${why}`),
      ),
      ...left.flatMap((volume) =>
        after.data.has(volume.metadata.name) && wasToTakeItsData(volume, history)
          ? [`volume ${volume.metadata.name} has gone without its data`]
          : [],
      ),
    ];
  },
  owed: (history) => {
    const { state, time } = now(history);
    return [...state.volumes.values()].flatMap((volume) => {
      const { name } = volume.metadata;
      const isHeld = isHeldNow(volume);
      if (policyOf(volume) === 'Retain') {
        return isHeld ? [`volume ${name} is retained, and is to be let go`] : [];
      }
      if (!isReleased(volume, state)) {
        return volume.status?.phase === 'Bound' && !isHeld && !isEnding(volume)
          ? [`volume ${name} is bound with policy Delete, and is to be held`]
          : [];
      }
      const isOver =
        !hasWindow(volume) || time > releasedAt(volume, history) + undoWindow.milliseconds + slack;
      const isFree = !isAttached(volume, state) && neighboursOf(volume, state).length === 0;
      return isHeld && isOver && isFree && !isAskedFor(volume, state)
        ? [`volume ${name} is released with policy Delete, and is to go`]
        : [];
    });
  },
};

/** Marks have a resolution of one second, and the estimate of the server's time may be one second behind. */
const slack = 10_000;

/** Returns why the data of this name was still needed, to complete "was deleted". */
function needs(name: string, history: History, time: number): readonly string[] {
  const { state } = now(history);
  const volume = state.volumes.get(name);
  if (volume === undefined) {
    return ['after its volume was gone'];
  }
  const uid = volume.spec?.claimRef?.uid ?? '';
  if (uid === '') {
    return ['although no claim ever had it'];
  }
  const recent = sinceRest(history).flatMap((moment) => byUid(moment.state.volumes, uidOf(volume)) ?? []);
  if (recent.every((each) => policyOf(each) === 'Retain')) {
    return ['although it is retained'];
  }
  if (!isReleased(volume, state)) {
    return ['while its claim is there'];
  }
  const released = firstTime(history, (then) => {
    const before = byUid(then.volumes, uidOf(volume));
    return before !== undefined && isReleased(before, then);
  });
  const atRelease = history.moments[released ?? 0]?.state ?? state;
  const end = releasedAt(volume, history) + undoWindow.milliseconds;
  return [
    ...(isAttached(volume, state) && isAttached(volume, atRelease) ? ['while it is attached'] : []),
    ...neighboursOf(volume, state)
      .filter((other) => byUid(atRelease.volumes, uidOf(other)) !== undefined)
      .map((other) => `while volume ${other.metadata.name} is over the same folder`),
    ...(recent.every(hasWindow) && time < end ? ['within its undo window'] : []),
  ];
}

/**
 * Whether the volume must not go without its data: held, bound, and with policy Delete ever since the last
 * rest.
 */
function wasToTakeItsData(volume: PersistentVolume, history: History): boolean {
  const moments = sinceRest(history).map(({ state }) => byUid(state.volumes, uidOf(volume)));
  const [first] = moments;
  return (
    first?.status?.phase === 'Bound' &&
    isHeldNow(first) &&
    moments.every((each) => each !== undefined && policyOf(each) === 'Delete')
  );
}

function policyOf(volume: PersistentVolume): 'Delete' | 'Retain' {
  const isDelete =
    volume.spec?.persistentVolumeReclaimPolicy === 'Delete' ||
    (hasWindow(volume) && annotation(volume, names.reclaimPolicy) === 'Delete');
  return isDelete ? 'Delete' : 'Retain';
}

/**
 * Whether it is held now. While the field says Retain and the annotation says Delete, another finalizer holds
 * it.
 */
function isHeldNow(volume: PersistentVolume): boolean {
  return has(volume, names.pvController) || has(volume, names.undoFinalizer);
}

function hasWindow(volume: PersistentVolume): boolean {
  return annotation(volume, names.reclaimGrace) !== undefined;
}

/** Whether it had a claim that is gone. */
function isReleased({ spec }: PersistentVolume, { claims }: State): boolean {
  const uid = spec?.claimRef?.uid ?? '';
  return uid !== '' && byUid(claims, uid) === undefined;
}

/** When its claim was gone, in milliseconds since the epoch. */
function releasedAt(volume: PersistentVolume, history: History): number {
  const uid = volume.spec?.claimRef?.uid ?? '';
  const last = history.moments.findLastIndex(({ state }) => byUid(state.claims, uid) !== undefined);
  return history.moments[last + 1]?.time ?? now(history).time;
}

function isAttached({ metadata }: PersistentVolume, { attachments }: State): boolean {
  return [...attachments.values()].some(({ spec }) => spec.source.persistentVolumeName === metadata.name);
}

/** Whether a claim of the same name asks for the volume. */
function isAskedFor({ metadata, spec }: PersistentVolume, { claims }: State): boolean {
  return claims.get(spec?.claimRef?.name ?? '')?.spec?.volumeName === metadata.name;
}

/**
 * Other volumes that need its folder, however they spell the path. The world creates them with policy Retain.
 */
function neighboursOf(volume: PersistentVolume, { volumes }: State): readonly PersistentVolume[] {
  const folderOf = ({ spec }: PersistentVolume): string =>
    (spec?.hostPath?.path ?? '').replaceAll('/./', '/');
  return [...volumes.values()].filter(
    (other) => uidOf(other) !== uidOf(volume) && folderOf(other) === folderOf(volume),
  );
}

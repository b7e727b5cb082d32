import {
  uidOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
  type StorageClass,
  type VolumeAttachment,
} from './objects.ts';

/** The objects of the world at one moment, by name. Never changed in place. */
export interface State {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly sets: ReadonlyMap<string, StatefulSet>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  readonly attachments: ReadonlyMap<string, VolumeAttachment>;
  /** The names of the volumes whose data is on the storage. */
  readonly data: ReadonlySet<string>;
  /** Whether the namespace exists and is not being deleted. */
  readonly isOpen: boolean;
}

/** What a user requested. It is recorded before the request is sent, because from then on it might happen. */
export type Wish =
  | { readonly kind: 'deleteClaim'; readonly uid: string }
  | { readonly kind: 'deleteSet'; readonly uid: string; readonly cascade: Cascade }
  | { readonly kind: 'deletePod'; readonly uid: string }
  /**
   * One of our controllers was stopped, restarted or put under faults; with `ofAll`, every controller was,
   * including the stock ones.
   */
  | { readonly kind: 'disturbance'; readonly ofAll?: true };

export type Cascade = 'Background' | 'Foreground' | 'Orphan';

/** One moment: the state after a change, or after a wish was recorded. */
export interface Moment {
  readonly state: State;
  /** Milliseconds since the epoch, by the API server's clock. */
  readonly time: number;
  readonly wish?: Wish;
}

/**
 * Everything that happened, oldest first. Between two rests, each actor might act on any moment since the
 * earlier rest, because requests take time. At a rest every controller has seen everything and has nothing
 * left to do.
 */
export interface History {
  readonly moments: readonly Moment[];
  /** The index of the moment of the last rest. */
  readonly rest: number;
}

export function now({ moments }: History): Moment {
  return moments[moments.length - 1] ?? nothing;
}

/** Returns the moments from the last rest on. */
export function sinceRest({ moments, rest }: History): readonly Moment[] {
  return moments.slice(rest);
}

/** Returns the index of the first moment for which it holds; undefined if there is none. */
export function firstTime(
  { moments }: History,
  holds: (state: State, moment: Moment) => boolean,
): number | undefined {
  const index = moments.findIndex((moment) => holds(moment.state, moment));
  return index === -1 ? undefined : index;
}

/** Returns the index of the last moment for which it holds; undefined if there is none. */
export function lastTime(
  { moments }: History,
  holds: (state: State, moment: Moment) => boolean,
): number | undefined {
  const index = moments.findLastIndex((moment) => holds(moment.state, moment));
  return index === -1 ? undefined : index;
}

export function wished(history: History, is: (wish: Wish) => boolean): boolean {
  return history.moments.some(({ wish }) => wish !== undefined && is(wish));
}

/** Returns the object with this UID in a state. */
export function byUid<T extends { readonly metadata: { readonly uid?: string } }>(
  objects: ReadonlyMap<string, T>,
  uid: string,
): T | undefined {
  for (const object of objects.values()) {
    if (uidOf(object) === uid) {
      return object;
    }
  }
  return undefined;
}

export const emptyState: State = {
  claims: new Map(),
  pods: new Map(),
  sets: new Map(),
  volumes: new Map(),
  classes: new Map(),
  attachments: new Map(),
  data: new Set(),
  isOpen: false,
};

const nothing: Moment = { state: emptyState, time: 0 };

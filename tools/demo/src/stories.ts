import type { ApiClient } from '@holdfast/runtime';
import type { Companion } from './companions.ts';
import type { Narrator } from './narrator.ts';
import { preparePvReclaim } from './pv-reclaim-story.ts';
import { playPvcProtection } from './pvc-protection-story.ts';
import { playRetroactiveDefault } from './retroactive-default-story.ts';
import { playStatefulSetRetention } from './statefulset-story.ts';

/** What one controller does, as its users see it. */
export interface Story {
  /** Folder below `apps/`. */
  readonly app: string;
  /** What is told, in a line. */
  readonly heading: string;
  /** What else has to run by then; they stay for the stories that follow. */
  readonly companions: readonly Companion[];
  /** Before the controller is started. @param folder for whatever has to be on disk; it is removed at the end. */
  prepare(folder: string): Promise<PreparedStory>;
}

export interface PreparedStory {
  /** The controller's flags besides the usual ones. */
  readonly args: readonly string[];
  /** @throws StoryFailed when a step does not hold; the signal's reason when it is aborted. */
  play(client: ApiClient, narrator: Narrator, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** In the order in which they are told. */
export const stories: readonly Story[] = [
  {
    app: 'pvc-protection',
    heading: 'a claim in use is deleted, and waits',
    companions: [],
    prepare: withNothing(playPvcProtection),
  },
  // Before there is a volume binder: the stock one gives claims the default class itself.
  {
    app: 'retroactive-default-sc',
    heading: 'a claim comes before the default storage class',
    companions: [],
    prepare: withNothing(playRetroactiveDefault),
  },
  {
    app: 'statefulset-pvc-retention',
    heading: 'claims that go with their StatefulSet',
    companions: ['statefulset-controller', 'garbage-collector-controller', 'kubelet'],
    prepare: withNothing(playStatefulSetRetention),
  },
  {
    app: 'pv-reclaim-honor',
    heading: 'a volume is deleted before its claim',
    companions: ['persistentvolume-binder-controller', 'persistentvolume-protection-controller'],
    prepare: preparePvReclaim,
  },
];

function withNothing(play: PreparedStory['play']): Story['prepare'] {
  return () => Promise.resolve({ args: [], play, close: () => Promise.resolve() });
}

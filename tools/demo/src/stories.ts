import { preparePvReclaim } from './pv-reclaim-story.ts';
import { playPvcProtection } from './pvc-protection-story.ts';
import { playRetroactiveDefault } from './retroactive-default-story.ts';
import { playStatefulSetRetention } from './statefulset-story.ts';
import type { PreparedStory, Story } from './story.ts';

/** The stories in the order in which they are played. */
export const stories: readonly Story[] = [
  {
    app: 'pvc-protection',
    heading: 'a claim in use is deleted, and waits',
    companions: [],
    prepare: withNothing(playPvcProtection),
  },
  // Comes before a volume binder runs, because the stock binder gives claims the default class itself.
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
    // The stock controller here lacks the feature, so there is nothing to wait for.
    prepare: withNothing(playStatefulSetRetention, ['--yield-to-stock-controller=false']),
  },
  {
    app: 'pv-reclaim-honor',
    heading: 'a volume is deleted before its claim',
    companions: ['persistentvolume-binder-controller', 'persistentvolume-protection-controller'],
    prepare: preparePvReclaim,
  },
];

function withNothing(play: PreparedStory['play'], args: PreparedStory['args'] = []): Story['prepare'] {
  return () => Promise.resolve({ args, play, close: () => Promise.resolve() });
}

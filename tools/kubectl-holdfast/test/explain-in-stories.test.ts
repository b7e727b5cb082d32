import { storiesOfApps } from './apps.ts';
import { testStories } from './stories/test-stories.ts';

/*
 * The stories of the apps are played once more, and `explain` and `plan` are asked of their claims, volumes and sets at
 * the states through which they go: what they say is compared with what then happens, see stories/verdict.ts.
 */

await testStories(storiesOfApps.short);

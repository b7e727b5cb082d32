import { storiesOfApps } from './apps.ts';
import { testStories } from './stories/test-stories.ts';

/* What explain-in-stories.test.ts does, with the stories that take longer. */

await testStories(storiesOfApps.long);

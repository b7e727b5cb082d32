import { testStoryUnder } from './fault-story.ts';

/* The informers survive these faults for every app; `npm test` plays them with the story of pvc-protection. */

testStoryUnder('of watches');

/* Apart from `apps.ts`, which takes a second to load. */

export { wholeVerdict } from '../../../apps/pv-reclaim-honor/test/whole-verdict.ts';

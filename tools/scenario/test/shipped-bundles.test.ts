import { apps, testBundles } from './shipped-bundles.ts';

/*
 * The bundle of one app: what is asked is what the runtime does in all of them. shipped-bundles.thorough.test.ts asks
 * it of the others.
 */

testBundles(apps.slice(0, 1));

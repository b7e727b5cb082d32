import { apps, testBundles } from './shipped-bundles.ts';

testBundles(apps.slice(1));

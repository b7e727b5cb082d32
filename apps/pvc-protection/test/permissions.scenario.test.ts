import { expect, test } from '@jest/globals';
import { chosenBackend } from '@holdfast/testing';
import { forbidden, grants, testLesserRoles, testPermissions } from './permissions.ts';

/*
 * The app with the roles of its manifests: all its work is done and nothing is forbidden. That none of their verbs is
 * more than it needs takes a process for each verb: permissions.thorough.test.ts says it on the embedded server.
 */

testPermissions((scene) => {
  test('all that the manifest grants -> everything is done, nothing is forbidden', async () => {
    const seen: string[] = [];
    const process = await scene.deploy('whole', (rule) => {
      seen.push(...rule.resources.flatMap((resource) => rule.verbs.map((verb) => `${resource} ${verb}`)));
      return rule;
    });
    await scene.play(() => false);
    expect(await forbidden(process)).toStrictEqual([]);
    const known = [
      ...grants,
      // For API servers that do not stream lists; where they do, watch is enough.
      ['persistentvolumeclaims', 'list'],
      // The guard's configuration is in its component; the role names both in one rule.
      ['validatingwebhookconfigurations', 'get'],
      ['validatingwebhookconfigurations', 'patch'],
    ];
    expect(new Set(seen)).toEqual(new Set(known.map(([resource, verb]) => `${resource} ${verb}`)));
  }, 90_000);

  if (chosenBackend() !== 'embedded') {
    testLesserRoles(scene);
  }
});

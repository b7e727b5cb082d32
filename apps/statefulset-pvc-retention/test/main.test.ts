import { describe, expect, test } from '@jest/globals';
import { startApp } from '@holdfast/scenario';

describe('command line', () => {
  test('--help -> its own flag and its gates, exit 0', async () => {
    const app = startApp('statefulset-pvc-retention', ['--help']);
    expect(await app.exit).toEqual({ code: 0, signal: null });
    for (const word of [
      '--workloads',
      '--yield-to-stock-controller',
      '--kubeconfig',
      'StatefulSetAutoDeletePVC (beta, default true)',
      'CollectMissedScaleDown (alpha, default false)',
      'DeletionGracePeriod (alpha, default false)',
    ]) {
      expect(app.stdout()).toContain(word);
    }
  }, 20_000);

  test.each([
    {
      name: 'a kind without its version',
      args: ['--workloads=apps/StatefulSet'],
      says: /--workloads: "apps\/StatefulSet"/,
    },
    {
      name: 'a gate that is not there',
      args: ['--feature-gates=Nope=true'],
      says: /"Nope".*StatefulSetAutoDeletePVC/,
    },
  ])(
    '$name -> one clear line, exit 2',
    async ({ args, says }) => {
      const app = startApp('statefulset-pvc-retention', args);
      expect(await app.exit).toEqual({ code: 2, signal: null });
      expect(app.stderr().trimEnd()).toMatch(says);
      expect(app.stderr().trimEnd().split('\n')).toHaveLength(1);
    },
    20_000,
  );
});

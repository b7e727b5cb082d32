import { describe, expect, test } from '@jest/globals';
import { startApp } from '@holdfast/scenario';

describe('command line', () => {
  test('--help -> flags and gate, exit 0', async () => {
    const app = startApp('retroactive-default-sc', ['--help']);
    expect(await app.exit).toEqual({ code: 0, signal: null });
    expect(app.stdout()).toContain('--kube-api-qps');
    expect(app.stdout()).toMatch(/RetroactiveDefaultStorageClass \(beta, default true\)/);
  }, 20_000);

  test('unknown gate -> one clear line, exit 2', async () => {
    const app = startApp('retroactive-default-sc', ['--feature-gates=Nope=true']);
    expect(await app.exit).toEqual({ code: 2, signal: null });
    expect(app.stderr()).toMatch(/^retroactive-default-sc: .*"Nope".*RetroactiveDefaultStorageClass.*\n$/);
  }, 20_000);
});

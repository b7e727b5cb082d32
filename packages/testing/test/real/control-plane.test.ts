import { describe, expect, test } from '@jest/globals';
import { chosenBackend, startControlPlane } from '../../src/start-control-plane.ts';

describe('chosenBackend', () => {
  test.each([
    { env: {}, backend: 'embedded' },
    { env: { HOLDFAST_CONTROL_PLANE: '' }, backend: 'embedded' },
    { env: { USE_EXISTING_CLUSTER: 'true' }, backend: 'existing' },
    { env: { USE_EXISTING_CLUSTER: 'false' }, backend: 'embedded' },
    { env: { HOLDFAST_CONTROL_PLANE: 'real' }, backend: 'real' },
    { env: { HOLDFAST_CONTROL_PLANE: 'real-missing' }, backend: 'real-missing' },
    { env: { HOLDFAST_CONTROL_PLANE: 'embedded', USE_EXISTING_CLUSTER: 'true' }, backend: 'embedded' },
  ])('$env -> $backend', ({ env, backend }) => {
    expect(chosenBackend(env)).toBe(backend);
  });

  test('an unknown back end -> refused, names it and what there is', () => {
    expect(() => chosenBackend({ HOLDFAST_CONTROL_PLANE: 'kind' })).toThrow(
      'HOLDFAST_CONTROL_PLANE is "kind": it may be embedded, real, existing',
    );
  });

  test('an unknown back end from JavaScript -> refused in the same way', async () => {
    const started = Reflect.apply(startControlPlane, undefined, [{ backend: 'kind' }]) as Promise<unknown>;
    await expect(started).rejects.toThrow('option backend is "kind": it may be embedded, real, existing');
  });
});

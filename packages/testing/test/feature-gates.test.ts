import { expect, test } from '@jest/globals';
import { startControlPlane } from '@holdfast/testing';

test('gates of startControlPlane reach the embedded server; an unknown one -> refused by name', async () => {
  const plane = await startControlPlane({
    backend: 'embedded',
    apiServerFeatureGates: { RetroactiveDefaultStorageClass: false },
  });
  await plane.stop();
  await expect(
    startControlPlane({ backend: 'embedded', apiServerFeatureGates: { NoSuchGate: true } }),
  ).rejects.toThrow('"NoSuchGate"');
});

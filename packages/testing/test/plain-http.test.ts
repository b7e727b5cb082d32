import { afterEach, expect, test } from '@jest/globals';
import { startControlPlane, type ControlPlane } from '@holdfast/testing';

let plane: ControlPlane | undefined;

afterEach(() => plane?.stop());

test.each([
  { tls: undefined, scheme: 'https:' },
  { tls: true, scheme: 'https:' },
  { tls: false, scheme: 'http:' },
])('embedded control plane, tls $tls -> served over $scheme', async ({ tls, scheme }) => {
  plane = await startControlPlane({ backend: 'embedded', ...(tls === undefined ? {} : { tls }) });
  expect(new URL(plane.url).protocol).toBe(scheme);
});

import { expect, test } from '@jest/globals';
import { packageOf, programOf, suites } from '../../src/strangers/suites.ts';

test('suite of a package below another -> its package, and a program named by the whole path', () => {
  expect(packageOf('internal/controller')).toBe('sigs.k8s.io/controller-runtime/pkg/internal/controller');
  expect(programOf('internal/controller')).toBe('internal-controller.test');
});

test('all suites -> a program each', () => {
  expect(new Set(suites.map(programOf)).size).toBe(suites.length);
});

/** The test suites of controller-runtime that use an API server or start one, by package. */
export const suites = [
  'builder',
  'cache',
  'client',
  'client/apiutil',
  'cluster',
  'controller',
  'controller/controllerutil',
  'envtest',
  'handler',
  'internal/controller',
  'internal/recorder',
  'internal/testing/controlplane',
  'manager',
  'manager/internal/integration',
  'metrics/filters',
  'reconcile',
  'source',
  'webhook',
] as const;

export type Suite = (typeof suites)[number];

/** Tests without ginkgo that are played in place of a suite; the package's other tests use no server. */
export const plainTests: Partial<Readonly<Record<Suite, string>>> = {
  'client/apiutil': 'TestLazyRestMapperProvider',
};

/** The package by Go's name. */
export function packageOf(suite: Suite): string {
  return `sigs.k8s.io/controller-runtime/pkg/${suite}`;
}

/** The name of the program that is built from it. */
export function programOf(suite: Suite): `${string}.test` {
  return `${suite.replaceAll('/', '-')}.test`;
}

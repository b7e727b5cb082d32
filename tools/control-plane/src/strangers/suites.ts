/** The test suites of controller-runtime that ask an API server or start one, by their packages. */
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

/** Tests without ginkgo, which are played in the place of a suite: the others of that package ask no server. */
export const plainTests: Partial<Readonly<Record<Suite, string>>> = {
  'client/apiutil': 'TestLazyRestMapperProvider',
};

/** As Go names it. */
export function packageOf(suite: Suite): string {
  return `sigs.k8s.io/controller-runtime/pkg/${suite}`;
}

/** The program that is made of it. */
export function programOf(suite: Suite): `${string}.test` {
  return `${suite.replaceAll('/', '-')}.test`;
}

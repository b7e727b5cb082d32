/** The test suites of controller-runtime that ask an API server, by their packages. */
export const suites = [
  'builder',
  'cache',
  'client',
  'cluster',
  'controller',
  'controller/controllerutil',
  'envtest',
  'handler',
  'internal/recorder',
  'manager',
  'reconcile',
  'source',
  'webhook',
] as const;

export type Suite = (typeof suites)[number];

/** As Go names it. */
export function packageOf(suite: Suite): string {
  return `sigs.k8s.io/controller-runtime/pkg/${suite}`;
}

/** The program that Go makes of it. */
export function programOf(suite: Suite): `${string}.test` {
  return `${suite.split('/').at(-1) ?? suite}.test`;
}

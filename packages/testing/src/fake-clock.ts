/*
 * Re-exports the clock of the API server's tests, so that a test that needs a fake clock depends on this
 * package only.
 */
export { createFakeClock, settled } from '@holdfast/apiserver/fake-clock';
export type { FakeClock } from '@holdfast/apiserver/fake-clock';

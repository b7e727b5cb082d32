/* The clock of the API server's tests is of use to whoever takes a clock: it is given on, so that a test names one package. */
export { createFakeClock, settled } from '@holdfast/apiserver/fake-clock';
export type { FakeClock } from '@holdfast/apiserver/fake-clock';

import { badRequest } from '../meta/status-error.ts';

const goDuration = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** How long a request may take, which nothing here does. Throws 400 for what Go does not read as a duration. */
export function checkTimeout(timeout: string | null): void {
  if (timeout !== null && timeout !== '' && !goDuration.test(timeout)) {
    const problem = `time: invalid duration ${JSON.stringify(timeout)}`;
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
}

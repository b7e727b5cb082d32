import { badRequest } from '../meta/status-error.ts';

const goDuration = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/**
 * Checks the timeout of a request, which has no effect here. Throws 400 if Go would not parse it as a
 * duration.
 */
export function checkTimeout(timeout: string | null): void {
  if (timeout !== null && timeout !== '' && !goDuration.test(timeout)) {
    const problem = `time: invalid duration ${JSON.stringify(timeout)}`;
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
}

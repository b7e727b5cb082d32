import { TestEnvironment } from 'jest-environment-node';
import { shift, shiftedDate } from './tools/ci/clock/shifted-date.js';

/** Node's environment, on the day that `npm run test:elsewhere` chooses. */
export default class Elsewhere extends TestEnvironment {
  async setup() {
    await super.setup();
    if (shift !== 0) {
      this.global.Date = shiftedDate(this.global.Date, shift);
    }
  }
}

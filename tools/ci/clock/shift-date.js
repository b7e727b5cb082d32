import { shift, shiftedDate } from './shifted-date.js';

/* For `node --import`: the processes that tests start are in the same day as the tests. */
globalThis.Date = shiftedDate(Date, shift);

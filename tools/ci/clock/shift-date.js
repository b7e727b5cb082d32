import { shift, shiftedDate } from './shifted-date.js';

/* For `node --import`: gives the processes that tests start the same day as the tests. */
globalThis.Date = shiftedDate(Date, shift);

/** In milliseconds: an hour. */
const timeToCallOff = 3_600_000;

/**
 * Returns when people have had time to call off what would be carried out now that the program is led again; see
 * {@link Tenure.nothingDueBefore}.
 */
export function afterTimeToCallOff(ledAgain: number): number {
  return ledAgain + timeToCallOff;
}

/** A time as the API server wants MicroTime: six digits of a second. */
export function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

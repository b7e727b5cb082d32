/** A time in the form of the API server's MicroTime: RFC 3339 with six digits of a second. */
export function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

/**
 * Returns the milliseconds since 1970 of an RFC 3339 timestamp, the form of Kubernetes' times, or undefined
 * for any other text and for a day that does not exist. Date.parse alone accepts other forms too, and reads
 * 30 February as 1 March.
 */
export function parseTimestamp(text: string): number | undefined {
  const day = Date.parse(text.slice(0, 10));
  const isDay = !Number.isNaN(day) && new Date(day).toISOString().startsWith(text.slice(0, 10));
  const time = isDay && rfc3339.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;

/** Formats the time as metav1.Time does: RFC 3339, UTC, whole seconds. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '');
}

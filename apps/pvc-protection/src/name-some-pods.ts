/**
 * How many of the pods that hold a claim are named. Thousands can share one claim, and they are written again
 * at each change: with all names the log would grow by hundreds of megabytes. The note of an Event holds
 * 1,024 bytes.
 */
export const podsNamed = 5;

/** Returns a text for people: the first of the pods by name, and how many more there are. */
export function nameSomePods(pods: readonly string[]): string {
  const shown = pods.slice(0, podsNamed).join(', ');
  const kind = pods.length === 1 ? 'pod' : 'pods';
  const more = pods.length - podsNamed;
  return more > 0 ? `${kind} ${shown} and ${String(more)} more` : `${kind} ${shown}`;
}

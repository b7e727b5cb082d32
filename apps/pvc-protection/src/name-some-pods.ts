/**
 * Of the pods that hold a claim as many are named at the most. Thousands can share one claim, and what is written of them is written anew
 * at each change: with all their names that would be hundreds of megabytes of log. The note of an Event holds 1,024 bytes.
 */
export const podsNamed = 5;

/** For people: the first of the pods by name, and how many there are besides. */
export function nameSomePods(pods: readonly string[]): string {
  const shown = pods.slice(0, podsNamed).join(', ');
  const kind = pods.length === 1 ? 'pod' : 'pods';
  const more = pods.length - podsNamed;
  return more > 0 ? `${kind} ${shown} and ${String(more)} more` : `${kind} ${shown}`;
}

/** Twice the connections of the bench's client: enough that none of them waits for the next request to be made. */
const atOnce = 48;

/**
 * Does `work` for each item, 48 items at once: what is still to be sent takes no memory yet.
 *
 * @throws the first failure, when what is under way has ended; nothing more is begun after it.
 */
export async function eachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && failures.length === 0; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) {
    throw failures[0];
  }
}

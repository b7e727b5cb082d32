/**
 * Twice the connections of the bench's client, which is enough that no connection has to wait for the next
 * request.
 */
const atOnce = 48;

/**
 * Does `work` for each item, 48 items at a time, so that requests which are not sent yet take no memory.
 *
 * @throws the first failure, once the work in progress has ended; nothing more is begun after a failure
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

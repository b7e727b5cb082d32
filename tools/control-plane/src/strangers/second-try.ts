/**
 * Returns the result of `play`, which gets a second chance if it ends without one: on a busy machine a server
 * might not be ready in time. The note reports that, so that it does not go unnoticed.
 *
 * @param title of what is played, for example `builder on the real server`
 * @param note called with a line if there was a second try
 * @throws what the second try throws
 */
export async function withSecondTry<Result>(
  title: string,
  play: () => Promise<Result>,
  note: (line: string) => void,
): Promise<Result> {
  try {
    return await play();
  } catch (error) {
    note(
      `had no result at first and was played once more: ${title} (${firstLine(error instanceof Error ? error.message : String(error))})`,
    );
    return play();
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

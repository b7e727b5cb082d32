/**
 * What `play` comes to, which gets a second chance when it ends without a result: on a machine with other work a server may not be ready in time. The note
 * names it, so that nobody takes it for a matter of course.
 *
 * @param title of what is played, as in `builder on the real server`
 * @param note gets a line when there was a second try
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

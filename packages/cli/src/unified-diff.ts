const contextLines = 3;

/**
 * Returns the changes from one text to another, as a unified diff with one hunk from the first to the last
 * line that differs. Empty for equal texts.
 *
 * @param name of the file.
 */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) {
    return '';
  }
  const [old, wanted] = [before, after].map(linesOf) as [string[], string[]];
  const shorter = Math.min(old.length, wanted.length);
  let head = 0;
  while (head < shorter && old[head] === wanted[head]) {
    head++;
  }
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === wanted[wanted.length - 1 - tail]) {
    tail++;
  }
  const from = Math.max(0, head - contextLines);
  const more = Math.min(tail, contextLines);
  const range = (lines: readonly string[]): string => {
    const count = lines.length - tail + more - from;
    return `${count === 0 ? from : from + 1},${count}`;
  };
  const marked = (mark: string, lines: readonly string[]): string[] =>
    lines.map((line) => `${mark}${line}\n`);
  return [
    `--- ${before === '' ? '/dev/null' : name}\n+++ ${name}\n`,
    `@@ -${range(old)} +${range(wanted)} @@\n`,
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', wanted.slice(head, wanted.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + more)),
  ].join('');
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

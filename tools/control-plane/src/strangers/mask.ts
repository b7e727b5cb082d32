import type { Answer } from './commands.ts';

/**
 * The kinds of text that differ in each run, and their placeholders. The order matters: longer texts come
 * first.
 */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4}(?: UTC)?)?/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, '<time>'],
  [/(resourceVersion\\?"?: ?)\\?"?\d+\\?"?/g, '$1<version>'],
  [/((?:Resource Version|ResourceVersion): +)\d+/g, '$1<version>'],
  // The launcher of the real server gives the user this name.
  [/\bholdfast-admin\b/g, 'admin'],
  // A server is named after the machine.
  [/\bapiserver-[a-z2-7]{26}(?:_[0-9a-f-]{36})?\b/g, '<server identity>'],
  // Every build reports its own commit and Go version.
  [/("(?:gitCommit|gitTreeState|goVersion)": ")[^"]*"/g, '$1<build>"'],
  [/("(?:kid|x|y)":)"[\w-]{43}"/g, '$1<key>'],
  [/https:\/\/kubernetes\.default\.svc(?:\.cluster\.local)?/g, '<issuer>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/(?:https?:\/\/)?(?:127\.0\.0\.1|localhost):\d+/g, '<server>'],
  // Before the node ports, because the process ID in a log line can look like one.
  [/\b[IWEF]\d{4} <time>|\b[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+/g, '<log>'],
  [/(["/ :])3[0-2]\d{3}\b/g, '$1<node port>'],
  [/\b10\.0\.0\.(?!1\b)\d+/g, '<service address>'],
  [/\/tmp\/[\w./-]+/g, '<path>'],
  // Milli-quantities such as 100m are not ages.
  [/\b(?:\d{1,2}m(?:\d+s)?|\d{1,3}s|\d+h(?:\d+m)?)\b(?=\s{2,}|\)?\s*$| ago)/gm, '<age>'],
];

/**
 * Returns the part of an answer that two runs should have in common: without identities, times, ages,
 * addresses and ports. Columns that are aligned depending on these are collapsed.
 */
export function masked(answer: Answer): string {
  const hide = (text: string): string =>
    masks
      .reduce((sofar, [pattern, instead]) => sofar.replace(pattern, instead), text)
      .replaceAll(/(?<=\S)(?: *\t[ \t]*| {2,})/g, '  ')
      .trimEnd();
  return [`exit code ${answer.code}`, hide(answer.stdout), hide(answer.stderr)]
    .filter((part) => part !== '')
    .join('\n');
}

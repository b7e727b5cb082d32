import type { Answer } from './commands.ts';

/** Each kind of text that is another one in each run, and what stands for it. The order matters: what is longer comes first. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4}(?: UTC)?)?/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, '<time>'],
  [/(resourceVersion\\?"?: ?)\\?"?\d+\\?"?/g, '$1<version>'],
  [/((?:Resource Version|ResourceVersion): +)\d+/g, '$1<version>'],
  // Who asks is called so by the launcher of the real server.
  [/\bholdfast-admin\b/g, 'admin'],
  // A server is called after the machine.
  [/\bapiserver-[a-z2-7]{26}(?:_[0-9a-f-]{36})?\b/g, '<server identity>'],
  // Who built it says so, and of what.
  [/("(?:gitCommit|gitTreeState|goVersion)": ")[^"]*"/g, '$1<build>"'],
  [/("(?:kid|x|y)":)"[\w-]{43}"/g, '$1<key>'],
  [/https:\/\/kubernetes\.default\.svc(?:\.cluster\.local)?/g, '<issuer>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/(?:https?:\/\/)?(?:127\.0\.0\.1|localhost):\d+/g, '<server>'],
  // Before ports of nodes, which the process that logs may be numbered like.
  [/\b[IWEF]\d{4} <time>|\b[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+/g, '<log>'],
  [/(["/ :])3[0-2]\d{3}\b/g, '$1<node port>'],
  [/\b10\.0\.0\.(?!1\b)\d+/g, '<service address>'],
  [/\/tmp\/[\w./-]+/g, '<path>'],
  // Quantities of a thousandth, as 100m, are no ages.
  [/\b(?:\d{1,2}m(?:\d+s)?|\d{1,3}s|\d+h(?:\d+m)?)\b(?=\s{2,}|\)?\s*$| ago)/gm, '<age>'],
];

/**
 * What two runs should have in common of an answer: without identities, times, ages, addresses and ports. Columns that stand where they do because
 * of these are closed up.
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

import { randomBytes } from 'node:crypto';

/** A text that occurs nowhere but where a test puts it. */
export interface Canary {
  /** What it is put into, for messages. */
  readonly input: string;
  readonly value: string;
}

/** Characters that JSON, URLs and shells write otherwise. */
const odd = '+/="\\';

/**
 * @param ending comes after 32 digits that are random. Default: characters that most formats write in their own way.
 */
export function plantCanary(input: string, ending = odd): Canary {
  return { input, value: `${randomBytes(16).toString('hex')}${ending}` };
}

/** As many characters of a canary are no coincidence. JSON.parse shows ten of what it can not read. */
const fragment = { raw: 10, base64: 14 };

/**
 * Looks for a canary as it is, cut at either end, in base64 (whatever stands before it there) and in any spelling that
 * leaves letters and digits as they are, such as those of JSON and of URLs.
 *
 * @returns the place in the text, with what is around it; undefined: there is none.
 */
export function findCanary({ value }: Canary, text: string): string | undefined {
  const core = value.slice(0, 32);
  const parts = windows(core, fragment.raw);
  for (let before = 0; before < 3; before++) {
    const encoded = Buffer.from(`${'\0'.repeat(before)}${core}`).toString('base64');
    // The characters at both ends depend on what stands beside.
    parts.push(...windows(encoded.slice(Math.ceil((before * 8) / 6), -4), fragment.base64));
  }
  for (const part of parts) {
    const at = text.indexOf(part);
    if (at >= 0) {
      return text.slice(Math.max(0, at - 100), at + 100);
    }
  }
  return undefined;
}

function windows(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length));
}

/**
 * Returns what is wrong with a label key, or undefined if it is valid. A key is a name of up to 63
 * characters, optionally after a DNS subdomain of up to 253 characters and a slash.
 */
export function labelKeyProblem(key: unknown): string | undefined {
  const parts = typeof key === 'string' ? key.split('/') : [];
  const [name = '', prefix] = parts.toReversed();
  return parts.length <= 2 &&
    isName(name) &&
    (prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix)))
    ? undefined
    : `${JSON.stringify(key)} can't be the key of a label; give one such as app or example.com/app, of up to 63 characters after the slash`;
}

/**
 * Returns what is wrong with a label value, or undefined if it is valid. A value is empty, or a name of up to
 * 63 characters.
 */
export function labelValueProblem(value: unknown): string | undefined {
  return typeof value === 'string' && (value === '' || isName(value))
    ? undefined
    : `${JSON.stringify(value)} can't be the value of a label; give up to 63 letters, digits, and - _ . between them`;
}

function isName(text: string): boolean {
  return text.length <= 63 && name.test(text);
}

const name = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

import { isIP, isIPv4, isIPv6 } from 'node:net';
import { dns1035Label, dnsLabel, dnsSubdomain } from '../meta/names.ts';

/*
 * The string formats that k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go lists. Any other
 * format is no constraint.
 */

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const uuid = (version: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');
const hostnamePart = /^[a-zA-Z0-9_](?:[a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?$/;
const goDuration = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const wordDuration =
  /^\s*\d+(?:\.\d+)?\s*(?:ns|us|ms|s|m|h|d|w|nano|nanos|micro|micros|milli|millis|second|seconds|sec|secs|minute|minutes|min|mins|hour|hours|hr|hrs|day|days|week|weeks|wk|wks|nanosecond|nanoseconds|microsecond|microseconds|millisecond|milliseconds)\s*$/;

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    return false;
  }
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text);
}

function isCidr(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  return (
    more.length === 0 &&
    bits !== undefined &&
    /^\d{1,3}$/.test(bits) &&
    family !== 0 &&
    Number(bits) <= (family === 4 ? 32 : 128)
  );
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  byte: (text) => base64.test(text),
  cidr: isCidr,
  creditcard: (text) => /^\d{13,19}$/.test(text.replaceAll(/[^\d]/g, '')),
  date: isDate,
  'date-time': (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => goDuration.test(text) || wordDuration.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: (text) => text.length <= 255 && text.split('.').every((part) => hostnamePart.test(part)),
  ipv4: isIPv4,
  ipv6: isIPv6,
  'k8s-short-name': (text) => dnsLabel(text, false).length === 0,
  'k8s-long-name': (text) => dnsSubdomain(text, false).length === 0,
  mac: (text) => /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$/i.test(text),
  password: () => true,
  rgbcolor: (text) => /^rgb\(\s*(?:\d{1,3}\s*,\s*){2}\d{1,3}\s*\)$/.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  uuid: (text) => uuid('[0-9a-f]').test(text),
  uuid3: (text) => uuid('3').test(text),
  uuid4: (text) => uuid('4').test(text),
  uuid5: (text) => uuid('5').test(text),
};

/** Known formats for which every text is accepted here. */
const unchecked: ReadonlySet<string> = new Set(['isbn', 'isbn10', 'isbn13']);

/** Formats of numbers, which do not restrict a definition. */
const ofNumbers: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double']);

export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(formats, format) || unchecked.has(format) || ofNumbers.has(format);
}

/** Whether a string has a format. Every string has an unknown format. */
export function hasFormat(format: string, text: string): boolean {
  return !Object.hasOwn(formats, format) || formats[format]?.(text) === true;
}

/** Kinds may be in any case, both as names in a definition and in embedded resources. */
export function kindProblems(kind: string): readonly string[] {
  return dns1035Label(kind.toLowerCase(), false);
}

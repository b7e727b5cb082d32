import { processSecrets } from '../logging/secret-values.ts';
import { serializeError } from './serialize-error.ts';

/** A field's text is cut after this many characters. */
const longestText = 1_024;
/** A list is cut after this many elements, and an object after this many members. */
const most = 32;
/** How deep lists and objects can be nested. */
const deepest = 4;
/** How many characters all texts within lists and objects of one line can have. */
const longestNested = 16 * 1024;
/** A cut secret with fewer characters than this would no longer be recognized. */
const recognizable = 16;

/**
 * Returns the fields of one log line, all limited in size. They come from objects that others write, and the
 * API server accepts a node name, an annotation or a list of up to 1.5 MiB. What is cut says how much there
 * was. The error in `err` is left to {@link serializeError}; errors in other fields are logged with the same
 * fields as there.
 */
export function boundedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const nested = { left: longestNested };
  const bounded: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value === 'string') {
      bounded[name] = cut(value, longestText);
    } else {
      bounded[name] = name === 'err' ? value : boundedValue(value, deepest, nested);
    }
  }
  return bounded;
}

/** How many characters the remaining texts can have. */
interface Room {
  left: number;
}

function boundedValue(value: unknown, depth: number, room: Room): unknown {
  if (typeof value === 'string') {
    return cutToFit(value, room);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (depth === 0) {
    return '...';
  }
  if (Array.isArray(value)) {
    const elements = value.slice(0, most).map((element: unknown) => boundedValue(element, depth - 1, room));
    return value.length > most ? [...elements, `(${String(value.length - most)} more)`] : elements;
  }
  const plain = value instanceof Error ? serializeError(value) : value;
  if ('toJSON' in plain && typeof plain.toJSON === 'function') {
    return boundedValue((plain as { toJSON(): unknown }).toJSON(), depth - 1, room);
  }
  const members = Object.entries(plain);
  const kept = members
    .slice(0, most)
    .map(([name, member]: [string, unknown]) => [
      cutToFit(name, room),
      boundedValue(member, depth - 1, room),
    ]);
  return Object.fromEntries(
    members.length > most ? [...kept, ['...', `(${String(members.length - most)} more)`]] : kept,
  );
}

function cutToFit(text: string, room: Room): string {
  const longest = Math.min(longestText, room.left);
  room.left -= Math.min(text.length, longest);
  return cut(text, longest);
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) {
    return text;
  }
  const beginning = processSecrets.redact(text.slice(0, longest + recognizable)).slice(0, longest);
  return `${beginning}...(${String(text.length)} characters)`;
}

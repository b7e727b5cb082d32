/** Secret texts, and how to keep them out of what a process writes. */
export interface SecretValues {
  /**
   * Remembers a text, whitespace at its ends aside. Of more than the limit, the one that was not added for longest is forgotten.
   * A text of fewer than six characters is left out: replaced wherever it occurs, it would spoil every line, and it is no secret.
   *
   * What strangers choose must not be added to what all outputs are searched for: they could have any word replaced.
   */
  add(secret: string | Buffer): void;
  /**
   * The text with `[redacted]` in the place of each secret: as it is, as base64 whatever stands before it there, and as JSON and URLs write
   * it. A secret of which the text has only the beginning, 16 characters or more, is found as well.
   */
  redact(text: string): string;
}

const shortest = 6;
/** As many characters of a secret are looked for; the rest is replaced as far as it is there. */
const head = 16;
const replacement = '[redacted]';

/** What texts are searched for, and which forms begin so: of tokens of one issuer, dozens. */
type Search = ReadonlyMap<string, readonly string[]>;

/** A place in a text. */
interface Find {
  readonly from: number;
  readonly to: number;
}

/**
 * Remembers secrets, to keep them out of what is written.
 *
 * @param limit texts remembered at once by `add`. Default 32, which is several times what a process has at a time: credentials are
 *   rotated, and those of before might still be repeated.
 */
export function createSecretValues(limit = 32): SecretValues {
  const added = new Map<string, readonly string[]>();
  let search: Search | undefined;

  return {
    add: (secret) => {
      const text = secret.toString().trim();
      if (text.length < shortest) {
        return;
      }
      const known = added.get(text);
      added.delete(text);
      added.set(text, known ?? formsOf(text));
      for (const eldest of added.keys()) {
        if (added.size <= limit) {
          break;
        }
        added.delete(eldest);
      }
      search = known === undefined ? undefined : search;
    },
    redact: (text) => {
      search ??= byHead([...added.values()].flat());
      const finds: Find[] = [];
      for (const [start, forms] of search) {
        look(start, forms, text, finds);
      }
      return finds.length === 0 ? text : without(finds, text);
    },
  };
}

/**
 * The credentials of this process, and the private keys that it serves with: none of its outputs has them.
 *
 * One for the process, as its standard error is. What a counterpart alone is given, such as a CSI driver, is in one of its own.
 */
export const processSecrets = createSecretValues();

/** What the text looks like in other texts, each once. */
function formsOf(text: string): readonly string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  const forms = [
    text,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(text.toWellFormed()),
    ...[0, 1, 2].map((before) => inBase64(text, before)),
  ];
  const all = new Set([...forms, ...forms.map(asUrlSafe)]);
  return [...all].filter((form) => form.length >= shortest);
}

/** The characters of the text's base64 that do not depend on what is beside it, where that many bytes, modulo 3, are before it. */
function inBase64(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function asUrlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

function byHead(forms: readonly string[]): Search {
  const search = new Map<string, string[]>();
  for (const form of forms) {
    const start = form.slice(0, head);
    const alike = search.get(start);
    if (alike === undefined) {
      search.set(start, [form]);
    } else {
      alike.push(form);
    }
  }
  return search;
}

function look(start: string, forms: readonly string[], text: string, finds: Find[]): void {
  for (let from = text.indexOf(start); from >= 0; from = text.indexOf(start, from + start.length)) {
    finds.push({ from, to: from + Math.max(...forms.map((form) => commonLength(form, text, from))) });
  }
}

/** Of how many characters the form begins as the text does at that place. */
function commonLength(form: string, text: string, from: number): number {
  let length = Math.min(form.length, head);
  while (length < form.length && text.charCodeAt(from + length) === form.charCodeAt(length)) {
    length += 1;
  }
  return length;
}

/** Forms of one secret begin alike, and so do tokens of one issuer: what is found in one place goes as far as the longest of them. */
function without(finds: Find[], text: string): string {
  finds.sort((a, b) => a.from - b.from);
  let result = '';
  let copied = 0;
  for (const { from, to } of finds) {
    if (from >= copied) {
      result += text.slice(copied, from) + replacement;
    }
    copied = Math.max(copied, to);
  }
  return result + text.slice(copied);
}

/** Secret texts, and how to keep them out of what a process writes. */
export interface SecretValues {
  /**
   * Remembers a text, whitespace at its ends aside. Of more than the limit, the one that was not added for longest is forgotten.
   * A text of fewer than six characters is left out: replaced wherever it occurs, it would spoil every line, and it is no secret.
   */
  add(secret: string | Buffer): void;
  /** Remembers a text that others choose, and any number of which they can send, until the function that is returned is called. */
  hold(secret: string): () => void;
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

/** A place in a text. */
interface Find {
  readonly from: number;
  readonly to: number;
}

/**
 * @param limit texts remembered at once by `add`. Default 32, which is several times what a process has at a time: credentials are
 *   rotated, and those of before might still be repeated.
 */
export function createSecretValues(limit = 32): SecretValues {
  const added = new Map<string, readonly string[]>();
  const held = new Set<readonly string[]>();

  return {
    add: (secret) => {
      const text = secret.toString().trim();
      if (text.length < shortest) {
        return;
      }
      const forms = added.get(text) ?? formsOf(text);
      added.delete(text);
      added.set(text, forms);
      for (const eldest of added.keys()) {
        if (added.size <= limit) {
          break;
        }
        added.delete(eldest);
      }
    },
    hold: (secret) => {
      if (secret.length < shortest) {
        return () => undefined;
      }
      const forms = formsOf(secret);
      held.add(forms);
      return () => held.delete(forms);
    },
    redact: (text) => {
      const finds: Find[] = [];
      for (const secrets of [added.values(), held.values()]) {
        for (const forms of secrets) {
          for (const form of forms) {
            look(form, text, finds);
          }
        }
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

function look(form: string, text: string, finds: Find[]): void {
  const start = form.slice(0, head);
  for (let from = text.indexOf(start); from >= 0;) {
    let to = from + start.length;
    while (to - from < form.length && text.charCodeAt(to) === form.charCodeAt(to - from)) {
      to += 1;
    }
    finds.push({ from, to });
    from = text.indexOf(start, to);
  }
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

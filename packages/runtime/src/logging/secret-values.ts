/** A set of secret texts that must not appear in the output of a process. */
export interface SecretValues {
  /**
   * Adds a secret, without whitespace at its ends. Beyond the limit, the one that was added least recently is
   * forgotten. A text of fewer than six characters is ignored: it is no secret, and replacing it everywhere
   * would spoil every line.
   *
   * Do not add text that strangers choose to a set that applies to all output: they could have any word
   * replaced.
   */
  add(secret: string | Buffer): void;
  /**
   * Returns the text with `[redacted]` in place of each secret: as it is, as base64 whatever precedes it
   * there, and as JSON and URLs write it. A truncated secret is found too if at least its first 16 characters
   * are there.
   */
  redact(text: string): string;
}

const shortest = 6;
/** The search is for this many characters of a secret; what follows is replaced as far as it is there. */
const head = 16;
const replacement = '[redacted]';

/** Maps the texts to search for to the forms that begin with them; tokens of one issuer can be dozens. */
type Search = ReadonlyMap<string, readonly string[]>;

/** A place in a text. */
interface Find {
  readonly from: number;
  readonly to: number;
}

/**
 * Creates a set of secrets.
 *
 * @param limit how many secrets `add` remembers at once. Default: 32, several times what a process has at a
 *   time, since credentials are rotated and earlier ones might still be repeated.
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
 * The credentials of this process, and the private keys that it serves with. None of its output shows them.
 *
 * There is one set for the process, since there is one standard error. A secret given only to one
 * counterpart, such as a CSI driver, belongs in a set of its own.
 */
export const processSecrets = createSecretValues();

/** Returns each form that the text takes within other texts. */
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

/**
 * Returns the characters of the text's base64 that do not depend on its neighbors, if this many bytes (modulo
 * 3) precede it.
 */
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

/** Returns for how many characters the text at that place agrees with the form. */
function commonLength(form: string, text: string, from: number): number {
  let length = Math.min(form.length, head);
  while (length < form.length && text.charCodeAt(from + length) === form.charCodeAt(length)) {
    length += 1;
  }
  return length;
}

/**
 * Replaces the finds. Forms of one secret, and tokens of one issuer, begin alike, so the longest find at a
 * place counts.
 */
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

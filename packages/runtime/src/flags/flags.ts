import {
  FeatureGateError,
  parseFeatureGates,
  type FeatureGates,
  type FeatureGateSpecs,
} from '@holdfast/core';
import * as z from 'zod';
import { parseBindAddress, type BindAddress } from './bind-address.ts';
import { parseGoDuration } from './go-duration.ts';

/**
 * One flag: how its text becomes a value. Its name on the command line is its key in the table, in kebab
 * case. The config file uses the same name. The environment uses it in upper case with the program's prefix,
 * such as `ACME_SITES_`.
 */
export interface Flag<T> {
  /** What the flag does, in one sentence, with units. */
  readonly description: string;
  /**
   * Stands for the value in `--help`. A flag without a placeholder is a switch: `--dry-run` and
   * `--dry-run=false`.
   */
  readonly placeholder?: string;
  /** The text that is parsed if the flag is not given. Without a default the value is then undefined. */
  readonly default?: string;
  readonly schema: z.ZodType<T, string>;
  /**
   * Whether it is a list flag: if given several times on the command line, the values are joined, as in
   * Kubernetes.
   */
  readonly isList?: boolean;
}

/** Flags by their keys: `kubeApiQps` is `--kube-api-qps`. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The values of a table's flags, by key. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Flag<infer T> ? T : never;
};

interface FlagText {
  readonly description: string;
  readonly placeholder?: string;
  readonly default?: string;
}

/**
 * Creates a flag whose text `read` turns into a value. `read` returns undefined for an invalid text, and
 * `expected` says what is valid.
 */
function flag<T>(text: FlagText, expected: string, read: (text: string) => T | undefined): Flag<T> {
  return {
    ...text,
    schema: z.string().transform((value, context) => {
      const result = read(value);
      if (result === undefined) {
        context.addIssue({ code: 'custom', message: `expected ${expected}` });
        return z.NEVER;
      }
      return result;
    }),
  };
}

/** A flag for a non-empty text. */
export function textFlag(text: FlagText & { readonly default: string }): Flag<string> {
  return flag(text, 'a text that is not empty', (value) => (value === '' ? undefined : value));
}

/** A flag for a non-empty text without a default: its value is undefined if it is not given. */
export function optionalTextFlag(text: Omit<FlagText, 'default'>): Flag<string | undefined> {
  return flag(text, 'a text that is not empty', (value) => (value === '' ? undefined : value));
}

/** A flag that is on or off: `--dry-run`, `--dry-run=false`. */
export function switchFlag(text: {
  readonly description: string;
  readonly default: 'true' | 'false';
}): Flag<boolean> {
  return flag(text, 'true or false', (value) =>
    value === 'true' ? true : value === 'false' ? false : undefined,
  );
}

/** A flag for a number within limits. */
export function numberFlag(
  text: FlagText & { readonly default: string },
  range: { readonly min: number; readonly max?: number; readonly integer: boolean },
): Flag<number> {
  const { min, max = Infinity, integer } = range;
  const kind = integer ? 'a whole number' : 'a number';
  const most = max === Infinity ? '' : ` and at most ${String(max)}`;
  return flag(text, `${kind} of at least ${String(min)}${most}`, (value) => {
    const number = value.trim() === '' ? NaN : Number(value);
    const fits =
      Number.isFinite(number) && number >= min && number <= max && (!integer || Number.isInteger(number));
    return fits ? number : undefined;
  });
}

/** A flag for a duration in milliseconds, from a text such as `1m30s`. */
export function durationFlag(text: FlagText & { readonly default: string }): Flag<number> {
  return flag(text, 'a duration above zero, for example 15s or 1m30s', (value) => {
    const duration = parseGoDuration(value);
    return duration !== undefined && duration > 0 ? duration : undefined;
  });
}

/** A flag for one of several texts. */
export function choiceFlag<Choice extends string>(
  text: FlagText & { readonly default: Choice },
  choices: readonly Choice[],
): Flag<Choice> {
  return flag(text, `one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value));
}

/** A flag for names separated by commas; an empty text is an empty list. */
export function namesFlag(text: FlagText): Flag<readonly string[]> {
  const name = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
  const expected = 'names separated by commas, each of a-z, 0-9 and "-"';
  const read = (value: string): readonly string[] | undefined => {
    const names = value.split(',').map((each) => each.trim());
    return value === '' ? [] : names.every((each) => name.test(each)) ? [...new Set(names)] : undefined;
  };
  return { ...flag({ ...text, default: '' }, expected, read), isList: true };
}

/** A flag for an address to listen on: `host:port`, `:port`, or `0` for none. */
export function bindAddressFlag(text: FlagText & { readonly default: string }): Flag<BindAddress> {
  return flag(text, 'host:port or :port with a port up to 65535, or 0 to turn it off', parseBindAddress);
}

/** A flag for the feature gates of a program: `A=true,B=false`, given once or several times. */
export function featureGatesFlag<Name extends string>(
  specs: FeatureGateSpecs<Name>,
): Flag<FeatureGates<Name>> {
  return {
    description:
      'Turn features on or off, for example A=true,B=false; AllAlpha and AllBeta set all gates of a stage.',
    placeholder: 'A=BOOL,...',
    default: '',
    isList: true,
    schema: z.string().transform((value, context) => {
      try {
        return parseFeatureGates(specs, value);
      } catch (error) {
        if (error instanceof FeatureGateError) {
          context.addIssue({ code: 'custom', message: error.message });
          return z.NEVER;
        }
        throw error;
      }
    }),
  };
}

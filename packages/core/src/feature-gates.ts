/** The maturity of a feature gate; it decides which gates `AllAlpha` and `AllBeta` set. */
export type FeatureStage = 'alpha' | 'beta' | 'GA' | 'deprecated';

/** What an app declares about one of its feature gates. */
export interface FeatureGateSpec {
  readonly stage: FeatureStage;
  readonly default: boolean;
  /** Users can name the gate, but only set it to its default. Default: false. */
  readonly lockToDefault?: boolean;
  /** The release of the app that introduced the gate at this stage. */
  readonly since: string;
  /** What the gate does, in one sentence for `--help`. */
  readonly description: string;
  /** The enhancement that the gate comes from, for example `KEP-1847`. */
  readonly kep?: string;
}

/** The feature gates that a program knows, by name. */
export type FeatureGateSpecs<Name extends string = string> = Readonly<Record<Name, FeatureGateSpec>>;

/** One gate with its value in this process. */
export interface FeatureGate<Name extends string = string> extends FeatureGateSpec {
  readonly name: Name;
  readonly enabled: boolean;
}

/** The gates of a running app. They do not change after the start. */
export interface FeatureGates<Name extends string = string> {
  enabled(name: Name): boolean;
  /** Every known gate, sorted by name. */
  all(): readonly FeatureGate<Name>[];
}

/**
 * Thrown for an invalid `--feature-gates` text; the message names the gate, the value and what is allowed.
 */
export class FeatureGateError extends Error {
  override readonly name = 'FeatureGateError';
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'False', 'FALSE'].map((text) => [text, false] as const),
]);

const groups: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);

/**
 * Parses `A=true,B=false` as Kubernetes' components do.
 *
 * Values are those of Go's ParseBool. If a gate is named twice, the last value counts. `AllAlpha` and
 * `AllBeta` set all gates of their stage that are neither locked nor named themselves, wherever in the text
 * they stand.
 *
 * @throws FeatureGateError for an unknown gate, a value that is not a boolean, or a change to a locked gate.
 */
export function parseFeatureGates<Name extends string>(
  specs: FeatureGateSpecs<Name>,
  text: string,
): FeatureGates<Name> {
  const named = new Map<string, boolean>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry !== '') {
      const [name, value] = parseEntry(entry);
      checkEntry(specs, name, value);
      named.set(name, value);
    }
  }

  const gates = (Object.keys(specs) as Name[]).sort().map((name): FeatureGate<Name> => {
    const spec = specs[name];
    const group = [...groups].find(([, stage]) => stage === spec.stage)?.[0];
    const ofGroup = group === undefined || spec.lockToDefault === true ? undefined : named.get(group);
    return { ...spec, name, enabled: named.get(name) ?? ofGroup ?? spec.default };
  });
  const enabled = new Map<string, boolean>(gates.map((gate) => [gate.name, gate.enabled]));
  return { enabled: (name) => enabled.get(name) === true, all: () => gates };
}

function parseEntry(entry: string): readonly [name: string, value: boolean] {
  const equals = entry.indexOf('=');
  if (equals < 0) {
    throw new FeatureGateError(`"${entry}" has no value; write ${entry}=true or ${entry}=false`);
  }
  const name = entry.slice(0, equals).trim();
  const text = entry.slice(equals + 1).trim();
  const value = truths.get(text);
  if (value === undefined) {
    throw new FeatureGateError(`"${text}" is not a value for gate ${name}; allowed are true and false`);
  }
  return [name, value];
}

function checkEntry(specs: FeatureGateSpecs, name: string, value: boolean): void {
  if (groups.has(name)) {
    return;
  }
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec === undefined) {
    const known = [...groups.keys(), ...Object.keys(specs).sort()].join(', ');
    throw new FeatureGateError(`there is no gate "${name}"; known gates are ${known}`);
  }
  if (spec.lockToDefault === true && value !== spec.default) {
    throw new FeatureGateError(
      `gate ${name} is ${spec.stage} and locked to ${String(spec.default)}; leave it out`,
    );
  }
}

import type { FeatureGateSpecs } from '@holdfast/core';
import { checkIdentity, identityOf, type ProgramIdentity } from '../identity/program-identity.ts';
import type { Command } from './command-line.ts';
import { builtIn, flagName } from './flag-name.ts';
import type { FlagTable, FlagValues } from './flags.ts';
import { checkRuntimeConfig, runtimeFlags } from './runtime-flags.ts';

type AppFlags<Name extends string, Own extends FlagTable> = ReturnType<typeof runtimeFlags<Name>> & Own;

/** What is particular to one app's command line. */
export interface AppCommandOptions<Name extends string, Own extends FlagTable> extends ProgramIdentity {
  readonly version: string;
  /** One or two sentences at the top of `--help`. */
  readonly description: string;
  readonly gates: FeatureGateSpecs<Name>;
  /** The app's own flags, in addition to the runtime's. */
  readonly flags: Own;
  /** Checks all flags together, after the runtime's own checks; returns what is wrong. */
  readonly check?: (config: FlagValues<AppFlags<Name, Own>>) => string | undefined;
}

/**
 * Builds the command of an app: the runtime's flags and its own, with its feature gates at the end of
 * `--help`.
 *
 * @throws Error if the program's name or domain is invalid, see {@link ProgramIdentity}; if an own flag has the
 *   name of one that every program has; for a gate that nobody could set by itself.
 */
export function appCommand<Name extends string, Own extends FlagTable>(
  options: AppCommandOptions<Name, Own>,
): Command<AppFlags<Name, Own>> {
  const { version, description, gates, flags, check } = options;
  const identity = identityOf(options);
  checkIdentity(identity);
  const common = runtimeFlags(identity, gates);
  checkOwnFlags(flags, common);
  checkGates(gates);
  const gateLines = Object.entries<FeatureGateSpecs<Name>[Name]>(gates).map(
    ([gate, { stage, default: on, description: text }]) =>
      `  ${gate} (${stage}, default ${String(on)}): ${text}`,
  );
  return {
    ...identity,
    version,
    description,
    flags: { ...common, ...flags },
    check: (config) => checkRuntimeConfig(config) ?? check?.(config),
    epilogue: gateLines.length === 0 ? 'Feature gates: none' : ['Feature gates:', ...gateLines].join('\n'),
  };
}

/** An own `dryRun` would replace the runtime's, and its writes would no longer be dry runs. */
function checkOwnFlags(own: FlagTable, common: FlagTable): void {
  const taken = new Set([...Object.keys(common).map(flagName), ...builtIn]);
  const clash = Object.keys(own)
    .map(flagName)
    .find((name) => taken.has(name));
  if (clash !== undefined) {
    throw new Error(`flag --${clash} is one that every program has; give yours another name`);
  }
}

/** `AllAlpha` and `AllBeta` set other gates, and `A=true,B=false` has no way to quote a name. */
function checkGates(gates: FeatureGateSpecs): void {
  const wrong = Object.keys(gates).find(
    (gate) => !/^[\w.-]+$/.test(gate) || gate === 'AllAlpha' || gate === 'AllBeta',
  );
  if (wrong !== undefined) {
    throw new Error(
      `feature gate ${JSON.stringify(wrong)} can't be one; give a name such as MarkSites, of letters and digits`,
    );
  }
}

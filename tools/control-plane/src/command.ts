import { parseArgs } from 'node:util';
import { kubernetesReleases, type KubernetesRelease } from '@holdfast/testing/binaries';
import { ensureBinaries, ensureTools } from './ensure.ts';
import { neededToolSets, toolSetNames, toolSets, type ToolSetName } from './tool-sets.ts';
import { UnavailableError } from './unavailable-error.ts';

const listed = toolSetNames
  .map((name) => `${toolSets[name].programs.join(' and ')} ${toolSets[name].version.slice(1)}`)
  .join(', ');

const help = `Usage: npm run control-plane -- [--release ${kubernetesReleases.join('|')}|all]
       npm run control-plane -- --tools ${toolSetNames.join('|')}|all

Gets etcd, kube-apiserver, kube-controller-manager and kubectl and prints the folder they are in, a line for each release:
$KUBEBUILDER_ASSETS when it is set, else the user's cache folder, else that after a build with this machine's Go. The build
takes some ten minutes, once.

With --tools it gets programs that check what is deployed or how the controllers behave instead, from the cache or by a build:
${listed}.

  --release  default ${kubernetesReleases[0]}, or whatever release $KUBEBUILDER_ASSETS holds
  --tools    may be given more than once; all are those that checks of this repository need, without api-tests
  --help     this text

Exit codes: 0 done, 1 the build failed, 2 wrong usage, 3 the binaries cannot be had on this machine as it is.
`;

/** An error in the command line, described in one line. */
class UsageError extends Error {}

type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'release'; readonly releases: readonly (KubernetesRelease | undefined)[] }
  | { readonly kind: 'tools'; readonly tools: readonly ToolSetName[] };

function readCommand(args: readonly string[]): Command {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      release: { type: 'string' },
      tools: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: false,
    tokens: true,
  });
  let chosen: readonly KubernetesRelease[] = [];
  let tools: readonly ToolSetName[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') {
      continue;
    }
    if (token.kind === 'positional') {
      throw new UsageError(`unexpected argument "${token.value}"`);
    }
    switch (token.name) {
      case 'help':
        return { kind: 'help' };
      case 'release':
        chosen = readNames('--release', kubernetesReleases, token.value ?? '');
        break;
      case 'tools':
        tools = [...tools, ...readTools(token.value ?? '')];
        break;
      default:
        throw new UsageError(`unknown flag ${token.rawName}`);
    }
  }
  if (tools.length === 0) {
    return { kind: 'release', releases: chosen.length === 0 ? [undefined] : chosen };
  }
  if (chosen.length > 0) {
    throw new UsageError('--release and --tools are two commands');
  }
  return { kind: 'tools', tools };
}

/** `all` leaves out the sets that are built only on demand. */
function readTools(value: string): readonly ToolSetName[] {
  return value === 'all' ? neededToolSets : readNames('--tools', toolSetNames, value);
}

function readNames<Name extends string>(
  flag: string,
  names: readonly Name[],
  value: string,
): readonly Name[] {
  if (value === 'all') {
    return names;
  }
  const known = names.filter((name) => name === value);
  if (known.length === 0) {
    throw new UsageError(`${flag} is "${value}": it may be ${names.join(', ')} or all`);
  }
  return known;
}

/** What surrounds the command. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Aborted with the name of the signal that asks the command to stop. */
  readonly signal: AbortSignal;
}

interface TextStream {
  write(text: string): unknown;
}

/** Resolves with the exit code. */
export async function controlPlane(
  args: readonly string[],
  { env, stdout, stderr, signal }: Surroundings,
): Promise<number> {
  const say = (line: string): void => void stderr.write(`control-plane: ${line}\n`);
  try {
    const command = readCommand(args);
    const options = { env, signal, report: say };
    switch (command.kind) {
      case 'help':
        stdout.write(help);
        break;
      case 'release':
        for (const release of command.releases) {
          stdout.write(`${await ensureBinaries({ ...options, release })}\n`);
        }
        break;
      case 'tools':
        for (const name of command.tools) {
          stdout.write(`${await ensureTools(name, options)}\n`);
        }
        break;
    }
    return 0;
  } catch (error) {
    if (signal.aborted) {
      say(`stopped by ${String(signal.reason)}; nothing half-built is left`);
      return signal.reason === 'SIGINT' ? 130 : 143;
    }
    if (error instanceof UsageError) {
      say(`${error.message}; see --help`);
      return 2;
    }
    say(error instanceof Error ? error.message : String(error));
    return error instanceof UnavailableError ? 3 : 1;
  }
}

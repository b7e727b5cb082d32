import { parseArgs } from 'node:util';
import { kubernetesReleases, type KubernetesRelease } from '@holdfast/testing';
import { ensureBinaries } from './ensure.ts';
import { UnavailableError } from './unavailable-error.ts';

const help = `Usage: npm run control-plane -- [--release ${kubernetesReleases.join('|')}|all]

Gets etcd, kube-apiserver, kube-controller-manager and kubectl and prints the folder they are in, a line for each release:
$KUBEBUILDER_ASSETS when it is set, else the user's cache folder, else that after a build with this machine's Go. The build
takes some ten minutes, once.

  --release  default ${kubernetesReleases[0]}, or whatever release $KUBEBUILDER_ASSETS holds
  --help     this text

Exit codes: 0 done, 1 the build failed, 2 wrong usage, 3 the binaries cannot be had on this machine as it is.
`;

/** What went wrong in the command line, in a line. */
class UsageError extends Error {}

type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'ensure'; readonly releases: readonly (KubernetesRelease | undefined)[] };

function readCommand(args: readonly string[]): Command {
  const { tokens } = parseArgs({
    args: [...args],
    options: { release: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });
  let chosen: readonly (KubernetesRelease | undefined)[] = [undefined];
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
        chosen = readReleases(token.value ?? '');
        break;
      default:
        throw new UsageError(`unknown flag ${token.rawName}`);
    }
  }
  return { kind: 'ensure', releases: chosen };
}

function readReleases(value: string): readonly KubernetesRelease[] {
  if (value === 'all') {
    return kubernetesReleases;
  }
  const known = kubernetesReleases.filter((release) => release === value);
  if (known.length === 0) {
    throw new UsageError(`--release is "${value}": it may be ${kubernetesReleases.join(', ')} or all`);
  }
  return known;
}

const say = (line: string): void => void process.stderr.write(`control-plane: ${line}\n`);

async function run(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => interrupted.abort(signal);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const command = readCommand(args);
    if (command.kind === 'help') {
      process.stdout.write(help);
      return 0;
    }
    for (const release of command.releases) {
      const folder = await ensureBinaries({
        release,
        env: process.env,
        signal: interrupted.signal,
        report: say,
      });
      process.stdout.write(`${folder}\n`);
    }
    return 0;
  } catch (error) {
    if (interrupted.signal.aborted) {
      say(`stopped by ${String(interrupted.signal.reason)}; nothing half-built is left`);
      return interrupted.signal.reason === 'SIGINT' ? 130 : 143;
    }
    if (error instanceof UsageError) {
      say(`${error.message}; see --help`);
      return 2;
    }
    say(error instanceof Error ? error.message : String(error));
    return error instanceof UnavailableError ? 3 : 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

process.exitCode = await run(process.argv.slice(2));

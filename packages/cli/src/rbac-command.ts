import { parseArgs } from 'node:util';
import { readArguments } from './read-arguments.ts';
import { staleness, writeWanted } from './crd-files.ts';
import { CommandError, exitCode } from './exit-code.ts';
import type { Output } from './output.ts';
import { readRecordedTests, type RecordedTest } from './recorded-requests.ts';
import { roleRules } from './role-rules.ts';
import { rolesYaml } from './role-yaml.ts';

export const rbacUsage = `holdfast rbac DIR... [--name NAME] [--out FILE] [--check]

Writes the roles that an operator needs, from what it asked of the API server in its tests: run them with
HOLDFAST_RECORD_REQUESTS=DIR, an empty folder (testOperator of @holdfast/runtime/testing). Each rule says which tests need it.

  --name NAME  the name of the roles; without it, the operator's
  --out FILE   the file to write; without it, standard output
  --check      write nothing; show what differs in FILE, and exit with 1 if anything does
  --help       this text

What no test does is not allowed: a test with flags ['--leader-elect'] brings the lease.

Exit codes: as of holdfast crd.
`;

/**
 * Runs `holdfast rbac`.
 *
 * @returns the exit code.
 * @throws CommandError if something prevents the command from doing its work.
 */
export async function rbacCommand(args: readonly string[], { write, say }: Output): Promise<number> {
  const { folders, name, out, isCheck, isHelp } = parse(args);
  if (isHelp) {
    write(rbacUsage);
    return exitCode.done;
  }
  const tests = await readRecordedTests(folders);
  const text = rolesYaml(name ?? operatorOf(tests), roleRules(tests));
  if (!tests.some(({ requests }) => requests.some(({ resource }) => resource === 'leases'))) {
    say("no test was a leader, and nothing is allowed on leases; give one of them flags: ['--leader-elect']");
  }
  if (out === undefined) {
    write(text);
    return exitCode.done;
  }
  const file = { path: out, text };
  if (!isCheck) {
    say(`${out} ${(await writeWanted(file)) ? 'written' : 'is up to date'}`);
    return exitCode.done;
  }
  const diff = await staleness(file);
  if (diff === '') {
    return exitCode.done;
  }
  write(diff);
  say(`${out} is stale; run the command without --check`);
  return exitCode.stale;
}

/** @throws CommandError if there are several. */
function operatorOf(tests: readonly RecordedTest[]): string {
  const [operator = '', ...others] = new Set(tests.map((test) => test.operator));
  if (others.length > 0) {
    throw new CommandError(
      `the tests are of several operators, ${[operator, ...others].join(', ')}; record each in a folder of its own, or give --name for all of them together`,
    );
  }
  return operator;
}

interface Arguments {
  readonly folders: readonly string[];
  readonly name: string | undefined;
  readonly out: string | undefined;
  readonly isCheck: boolean;
  readonly isHelp: boolean;
}

function parse(args: readonly string[]): Arguments {
  const { values, positionals } = readArguments('rbac', () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        out: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  const { name, out, check: isCheck, help: isHelp } = values;
  if (!isHelp && positionals.length === 0) {
    throw new CommandError('no folder of requests is named; see holdfast rbac --help');
  }
  if (out === '' || name === '' || (isCheck && out === undefined && !isHelp)) {
    const problem =
      out === ''
        ? '--out is empty'
        : name === ''
          ? '--name is empty'
          : '--check compares with a file, and --out is missing';
    throw new CommandError(`${problem}; see holdfast rbac --help`);
  }
  if (name !== undefined && !isPathSegment(name)) {
    throw new CommandError(
      `--name ${JSON.stringify(name)} can't be the name of a role: it must not be . or .., nor contain / or %`,
    );
  }
  return { folders: positionals, name, out, isCheck, isHelp };
}

/** API servers take any name of a role that can be a part of a path. */
function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/%]/.test(name);
}

import { expect, test } from '@jest/globals';
import { runCommand, wordsOf } from '../../src/strangers/commands.ts';
import { helmCommands } from '../../src/strangers/helm-commands.ts';
import { helmFiles } from '../../src/strangers/helm-files.ts';
import { kubectlCommands } from '../../src/strangers/kubectl-commands.ts';
import { kubectlFiles } from '../../src/strangers/kubectl-files.ts';

const shell = {
  programs: { node: process.execPath },
  folder: process.cwd(),
  env: { PATH: process.env['PATH'] ?? '' },
};

test.each([
  ['kubectl get pods', ['kubectl', 'get', 'pods']],
  [`kubectl patch a -p '{"b": "c d"}'`, ['kubectl', 'patch', 'a', '-p', '{"b": "c d"}']],
  [`kubectl get -o jsonpath='{" "}'x`, ['kubectl', 'get', '-o', 'jsonpath={" "}x']],
  [`kubectl run a --image=' '`, ['kubectl', 'run', 'a', '--image= ']],
])('%s -> words as a shell makes them', (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

test('command -> its exit code and both outputs', async () => {
  const line = `node -e 'process.stdout.write(process.env.GREETING); process.stderr.write("no"); process.exitCode = 3'`;
  await expect(runCommand({ line, env: { GREETING: 'hello' } }, shell)).resolves.toEqual({
    code: 3,
    stdout: 'hello',
    stderr: 'no',
  });
});

test('program that the shell has not -> refused by its name', async () => {
  await expect(runCommand({ line: 'oc get pods' }, shell)).rejects.toThrow('"oc get pods" begins with oc');
});

test('command that does not end -> killed, and no answer', async () => {
  const line = `node -e 'setInterval(() => 0, 1000)'`;
  await expect(runCommand({ line }, { ...shell, limitMs: 1_000 })).rejects.toThrow(
    'was killed, as it had not ended after 1 s',
  );
});

test('file that a command names -> is there', () => {
  const named = (lines: readonly { readonly line: string }[]): readonly string[] =>
    lines.flatMap(({ line }) => wordsOf(line).filter((word) => /^[\w-]+\.(yaml|json|sh)$/.test(word)));
  const missing = [
    ...named(kubectlCommands).filter((file) => !(file in kubectlFiles)),
    ...named(helmCommands).filter((file) => !(file in helmFiles)),
  ];
  // One command is about a file that there is not.
  expect(missing).toEqual(['nothing.yaml']);
});

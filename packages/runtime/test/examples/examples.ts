import { describe, expect, test } from '@jest/globals';
import { controlPlaneMissing } from '@holdfast/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/*
 * The examples' programs, and their own tests, from their sources; these are Node's, and run in a process of their own.
 */

const examples = [
  {
    name: 'ttl',
    main: new URL('../../examples/ttl/src/main.ts', import.meta.url),
    tests: new URL('../../examples/ttl/test/ttl.test.ts', import.meta.url),
    count: 3,
  },
  {
    name: 'site-operator',
    main: new URL('../../examples/site/src/main.ts', import.meta.url),
    tests: new URL('../../examples/site/test/site.test.ts', import.meta.url),
    count: 7,
  },
];

/** Runs Node, and answers what it said. */
async function node(...args: readonly string[]): Promise<string> {
  // Node takes tests that run within another's for its children, and has them say nothing.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'NODE_TEST_CONTEXT'),
  );
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', ...args], { env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  return output;
}

/** Declares what the examples are to show, on whatever control plane is chosen. */
export function testExamples(): void {
  test.each(examples)('$name -> a program that says its name and version', async ({ name, main }) => {
    expect(await node(fileURLToPath(main), '--version')).toBe(`${name} 1.0.0\n`);
  });

  const suite = controlPlaneMissing() === undefined ? describe : describe.skip;

  suite('tests of an example', () => {
    test.each(examples)(
      '$name -> all pass',
      async ({ tests, count }) => {
        // Without --test, whose runner would be one more process that reads no more than this does.
        const output = await node('--test-reporter=tap', fileURLToPath(tests));
        expect(output).toMatch(new RegExp(`^# pass ${String(count)}$`, 'm'));
      },
      180_000,
    );
  });
}

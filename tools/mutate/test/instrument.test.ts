import { expect, test } from '@jest/globals';
import { instrument, mutantSwitch } from '../src/instrument.ts';
import { mutantsOf } from '../src/mutants.ts';

const text = `
function sum(list) {
  let all = 0;
  for (const each of list?.filter((one) => one > 0 && one !== 7) ?? []) {
    all += each;
  }
  if (all > 10) {
    return \`\${String(all)} is much\`;
  }
  return list?.length === 0 ? 'none' : String(all);
}
return [sum(undefined), sum([]), sum([1, 7, -2, 3]), sum([5, 6])];
`;

/** Runs it as the player does: with all mutants in it, and one switched on. */
function run(source: string, id: number | undefined): unknown {
  Reflect.set(globalThis, mutantSwitch, id);
  try {
    return (0, eval)(`(() => {${source}})()`) as unknown;
  } catch (error) {
    return error instanceof Error ? error.name : error;
  } finally {
    Reflect.deleteProperty(globalThis, mutantSwitch);
  }
}

const mutants = mutantsOf('sum.ts', text);
const instrumented = instrument(text, mutants);

test('none is switched on -> as without mutants', () => {
  expect(run(instrumented, undefined)).toEqual(['0', 'none', '4', '11 is much']);
});

test.each(mutants.map((mutant) => [mutant.after, mutant] as const))(
  'switched on: %s -> as if it were written so',
  (_, { id, start, end, replacement }) => {
    expect(run(instrumented, id)).toEqual(
      run(text.slice(0, start) + replacement + text.slice(end), undefined),
    );
  },
);

test('a stack names lines where they are', () => {
  expect(instrumented.split('\n')).toHaveLength(text.split('\n').length);
});

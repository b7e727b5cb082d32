import { expect, test } from '@jest/globals';
import { wholeNumber } from './whole-number.ts';

const variable = 'HOLDFAST_TEST_WHOLE_NUMBER';

test.each([
  [undefined, 7],
  ['0', 0],
  ['1607913673', 1_607_913_673],
])('variable is %j -> %j', (text, number) => {
  if (text !== undefined) {
    process.env[variable] = text;
  }
  expect(wholeNumber(variable, 7)).toBe(number);
});

test.each(['', 'fresh', '-1', '1.5'])('variable is %j -> refused by its name and value', (text) => {
  process.env[variable] = text;
  expect(() => wholeNumber(variable, 7)).toThrow(`${variable} is "${text}": set it to a whole number`);
});

import { describe, expect, test } from '@jest/globals';
import { FeatureGateError, parseFeatureGates, type FeatureGateSpec } from '@holdfast/core';

function gate(stage: FeatureGateSpec['stage'], on: boolean, lockToDefault = false): FeatureGateSpec {
  return { stage, default: on, lockToDefault, since: 'v0.1', description: 'A gate of this test.' };
}

const specs = {
  NewThing: gate('alpha', false),
  OtherNewThing: gate('alpha', false),
  LockedNewThing: gate('alpha', false, true),
  TriedThing: gate('beta', true),
  ShyTriedThing: gate('beta', false),
  LockedTriedThing: gate('beta', true, true),
  StableThing: gate('GA', true, true),
  OldThing: gate('deprecated', false),
};
type Name = keyof typeof specs;

const enabledBy = (text: string): readonly Name[] =>
  parseFeatureGates(specs, text)
    .all()
    .filter((each) => each.enabled)
    .map((each) => each.name);

describe('which gates are on', () => {
  const byDefault: readonly Name[] = ['LockedTriedThing', 'StableThing', 'TriedThing'];

  test.each<{ text: string; on: readonly Name[] }>([
    { text: '', on: byDefault },
    { text: ' , ,', on: byDefault },
    { text: 'NewThing=true', on: ['LockedTriedThing', 'NewThing', 'StableThing', 'TriedThing'] },
    { text: 'TriedThing=false', on: ['LockedTriedThing', 'StableThing'] },
    { text: ' NewThing = true , TriedThing = false ', on: ['LockedTriedThing', 'NewThing', 'StableThing'] },
    { text: 'OldThing=true', on: ['LockedTriedThing', 'OldThing', 'StableThing', 'TriedThing'] },
    { text: 'NewThing=true,NewThing=false', on: byDefault },
    {
      text: 'AllAlpha=true',
      on: ['LockedTriedThing', 'NewThing', 'OtherNewThing', 'StableThing', 'TriedThing'],
    },
    {
      text: 'AllAlpha=true,NewThing=false',
      on: ['LockedTriedThing', 'OtherNewThing', 'StableThing', 'TriedThing'],
    },
    {
      text: 'NewThing=false,AllAlpha=true',
      on: ['LockedTriedThing', 'OtherNewThing', 'StableThing', 'TriedThing'],
    },
    { text: 'AllAlpha=true,AllAlpha=false', on: byDefault },
    { text: 'AllBeta=false', on: ['LockedTriedThing', 'StableThing'] },
    { text: 'AllBeta=true', on: ['LockedTriedThing', 'ShyTriedThing', 'StableThing', 'TriedThing'] },
    { text: 'AllBeta=false,TriedThing=true', on: byDefault },
    { text: 'TriedThing=true,AllBeta=false', on: byDefault },
    {
      text: 'AllBeta=false,AllAlpha=true',
      on: ['LockedTriedThing', 'NewThing', 'OtherNewThing', 'StableThing'],
    },
    { text: 'StableThing=true,LockedNewThing=false', on: byDefault },
  ])('"$text" -> $on', ({ text, on }) => {
    expect(enabledBy(text)).toEqual(on);
  });
});

describe("values are those of Go's ParseBool", () => {
  test.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('%s -> on', (value) => {
    expect(parseFeatureGates(specs, `NewThing=${value}`).enabled('NewThing')).toBe(true);
  });

  test.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('%s -> off', (value) => {
    expect(parseFeatureGates(specs, `TriedThing=${value}`).enabled('TriedThing')).toBe(false);
  });

  test.each(['', 'yes', 'on', 'tRUE', '2', 'true=false'])('"%s" -> refused', (value) => {
    expect(() => parseFeatureGates(specs, `NewThing=${value}`)).toThrow(FeatureGateError);
  });
});

describe('what is refused names the gate, the value and the way out', () => {
  const known =
    'AllAlpha, AllBeta, LockedNewThing, LockedTriedThing, NewThing, OldThing, OtherNewThing, ShyTriedThing, StableThing, TriedThing';

  test.each([
    { text: 'NewThng=true', message: `there is no gate "NewThng"; known gates are ${known}` },
    { text: 'newthing=true', message: '"newthing"' },
    { text: 'toString=true', message: '"toString"' },
    { text: '=true', message: 'there is no gate ""' },
    { text: 'AllGA=true', message: '"AllGA"' },
    {
      text: 'NewThing=maybe',
      message: '"maybe" is not a value for gate NewThing; allowed are true and false',
    },
    { text: 'NewThing=true=false', message: '"true=false" is not a value for gate NewThing' },
    { text: 'AllBeta=maybe', message: '"maybe" is not a value for gate AllBeta' },
    { text: 'NewThing', message: '"NewThing" has no value; write NewThing=true or NewThing=false' },
    { text: 'StableThing=false', message: 'gate StableThing is GA and locked to true; leave it out' },
    { text: 'LockedNewThing=true', message: 'gate LockedNewThing is alpha and locked to false' },
    { text: 'NewThing=true,StableThing=false', message: 'StableThing' },
  ])('$text -> $message', ({ text, message }) => {
    expect(() => parseFeatureGates(specs, text)).toThrow(FeatureGateError);
    expect(() => parseFeatureGates(specs, text)).toThrow(
      expect.objectContaining({ name: 'FeatureGateError', message: expect.stringContaining(message) }),
    );
  });
});

test('all gates -> sorted by name, each with its spec', () => {
  const all = parseFeatureGates(specs, 'OldThing=true').all();
  expect(all.map((each) => each.name)).toEqual(Object.keys(specs).sort());
  expect(all.find((each) => each.name === 'OldThing')).toEqual({
    ...specs.OldThing,
    name: 'OldThing',
    enabled: true,
  });
});

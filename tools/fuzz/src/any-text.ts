import fc from 'fast-check';

const character = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10_ffff }))
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/**
 * A text of any characters. fast-check's own `string({ unit: 'binary' })` makes a table of all code points
 * when it is created, which takes a second.
 */
export function anyText(mostCharacters: number): fc.Arbitrary<string> {
  return fc.array(character, { maxLength: mostCharacters }).map((all) => all.join(''));
}

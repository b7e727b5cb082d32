import fc from 'fast-check';

/**
 * Any character, those of one, two, three and four bytes in UTF-8 alike often. fast-check's own units `binary` and
 * `grapheme` make a table of all of them first, which takes a second.
 */
export const character = fc
  .oneof(
    fc.integer({ min: 0x0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0x7ff }),
    // Without the halves of surrogate pairs, which are no characters.
    fc.oneof(fc.integer({ min: 0x800, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0xffff })),
    fc.integer({ min: 0x10000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collectionPath, persistentVolumeClaims, urlPath } from '@holdfast/core';

test.each<{ parts: readonly string[]; path: string }>([
  { parts: ['api', 'v1', 'pods'], path: '/api/v1/pods' },
  { parts: ['x/secrets/y?x='], path: '/x%2Fsecrets%2Fy%3Fx%3D' },
  { parts: ['a b', '100%', '#'], path: '/a%20b/100%25/%23' },
  { parts: ['...'], path: '/...' },
  { parts: ['system:node'], path: '/system%3Anode' },
])('$parts -> $path', ({ parts, path }) => {
  expect(urlPath(...parts)).toBe(path);
});

test.each(['', '.', '..'])('part "%s" -> thrown', (part) => {
  expect(() => urlPath('api', part)).toThrow(`"${part}" can't be a part`);
});

/**
 * Any code point: one of a byte, half of a surrogate pair, or whichever. fast-check's own unit `binary` makes a table
 * of all of them first, which takes a second.
 */
const codePoint = fc
  .oneof(
    fc.integer({ min: 0x0, max: 0x7f }),
    fc.integer({ min: 0xd800, max: 0xdfff }),
    fc.integer({ min: 0x0, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

test('H1: namespace of any text -> the path has the same number of parts, and no query', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (namespace) => {
      fc.pre(!['', '.', '..'].includes(namespace));
      const path = collectionPath(persistentVolumeClaims, namespace);
      const url = new URL(`https://server${path}`);
      expect(url.search + url.hash).toBe('');
      expect(url.pathname).toBe(path);
      const parts = url.pathname.split('/').map(decodeURIComponent);
      expect(parts).toEqual([
        '',
        'api',
        'v1',
        'namespaces',
        namespace.toWellFormed(),
        'persistentvolumeclaims',
      ]);
    }),
  );
});

test('plural with the parts of a subresource -> each is a part of the path', () => {
  const bindings = {
    group: '',
    version: 'v1',
    kind: 'Binding',
    plural: 'pods/web/binding',
    namespaced: true,
  };
  expect(collectionPath(bindings, 'ns')).toBe('/api/v1/namespaces/ns/pods/web/binding');
});

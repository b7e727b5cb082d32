import { expect, test } from '@jest/globals';
import { keyOf, objectKey, parseKey } from '@holdfast/core';
import fc from 'fast-check';
import { stored } from './stored.ts';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
const subdomain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

test('any namespace and name -> the key is read back as they were', () => {
  fc.assert(
    fc.property(label, subdomain, (namespace, name) => {
      expect(keyOf({ namespace, name })).toBe(`${namespace}/${name}`);
      expect(parseKey(keyOf({ namespace, name }))).toEqual({ namespace, name });
    }),
  );
});

test('any name without namespace -> the key is the name, and read back without namespace', () => {
  fc.assert(
    fc.property(subdomain, (name) => {
      expect(keyOf({ name })).toBe(name);
      expect(parseKey(keyOf({ name }))).toEqual({ name });
    }),
  );
});

test('any two objects -> equal keys only for equal addresses', () => {
  const ref = fc.record({ namespace: label, name: subdomain });
  fc.assert(
    fc.property(ref, ref, (a, b) => {
      expect(keyOf(a) === keyOf(b)).toBe(a.namespace === b.namespace && a.name === b.name);
    }),
  );
});

test('namespace as the metadata of any object has it, perhaps undefined -> taken', () => {
  const { metadata } = stored({ namespace: 'shop', name: 'data-web-0' });
  expect(keyOf({ namespace: metadata.namespace, name: metadata.name })).toBe('shop/data-web-0');
  expect(keyOf({ namespace: undefined, name: 'pv-1' })).toBe('pv-1');
});

test('empty namespace, as of a cluster-wide object -> the key is the name', () => {
  expect(keyOf({ namespace: '', name: 'pv-1' })).toBe('pv-1');
});

test('object -> key of its metadata', () => {
  expect(objectKey(stored({ namespace: 'shop', name: 'data-web-0' }))).toBe('shop/data-web-0');
  expect(objectKey({ metadata: { name: 'pv-1', uid: 'u', resourceVersion: '1' } })).toBe('pv-1');
});

test.each(['', '/', 'a/', '/a', 'a/b/c', '//'])('"%s" -> throws and shows it', (key) => {
  expect(() => parseKey(key)).toThrow(`object key "${key}" is not of the form "namespace/name" or "name"`);
});

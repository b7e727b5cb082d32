import { describe, expect, test } from '@jest/globals';
import {
  checkIdentity,
  stateIn,
  UnreadableObject,
  versionIn,
  type Identity,
} from '../../src/wire/unreadable-object.ts';

const whole: Identity = { name: 'data', namespace: 'shop', uid: 'u', resourceVersion: '7' };
const longest = 'a'.repeat(253);

describe('identity of an object that is stored', () => {
  test.each<{ name: string; identity: Identity }>([
    { name: 'all of it', identity: whole },
    { name: 'no namespace', identity: { ...whole, namespace: undefined } },
    { name: 'null for a namespace', identity: { ...whole, namespace: null } },
    { name: 'an empty namespace', identity: { ...whole, namespace: '' } },
    { name: 'a deletion', identity: { ...whole, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { name: 'null for a deletion', identity: { ...whole, deletionTimestamp: null } },
    { name: 'names of 253 characters', identity: { ...whole, name: longest, namespace: longest } },
    { name: 'UID of 253 characters', identity: { ...whole, uid: longest, resourceVersion: longest } },
  ])('$name -> fine', ({ identity }) => {
    expect(() => checkIdentity(identity)).not.toThrow();
  });

  test.each<{ name: string; identity: Identity; message: string }>([
    ...(['name', 'uid', 'resourceVersion'] as const).flatMap((field) =>
      [undefined, null, '', 7].map((value) => ({
        name: `${field} ${JSON.stringify([value])}`,
        identity: { ...whole, [field]: value },
        message: `"metadata.${field}" is no text`,
      })),
    ),
    {
      name: 'namespace 7',
      identity: { ...whole, namespace: 7 },
      message: '"metadata.namespace" is no text',
    },
    ...(['name', 'namespace'] as const).flatMap((field) => [
      {
        name: `${field} with a slash`,
        identity: { ...whole, [field]: 'a/b' },
        message: `"metadata.${field}" is no name: "a/b"`,
      },
      {
        name: `${field} of 254 characters`,
        identity: { ...whole, [field]: `${longest}a` },
        message: `"metadata.${field}" is no name`,
      },
    ]),
    ...(['uid', 'resourceVersion'] as const).map((field) => ({
      name: `${field} of 254 characters`,
      identity: { ...whole, [field]: `${longest}a` },
      message: `"metadata.${field}" is too long: "aaa`,
    })),
  ])('$name -> refused', ({ identity, message }) => {
    expect(() => checkIdentity(identity)).toThrow(message);
  });
});

test.each(['-a', 'a-', 'A', 'a_b', 'a..', 'ab\n'])('namespace %j -> no name of a namespace', (namespace) => {
  expect(() => checkIdentity({ ...whole, namespace })).toThrow('is no name of a namespace');
});

test.each([
  ['7', '7'],
  ['0', undefined],
  ['', undefined],
  [undefined, undefined],
  [7, undefined],
])('list or bookmark of version %j -> state %s', (resourceVersion, state) => {
  expect(stateIn({ resourceVersion })).toBe(state);
});

test('a namespace of a character that none has, a deletion at what is no time -> refused', () => {
  expect(() => checkIdentity({ ...whole, namespace: '\u0000' })).toThrow('is no name of a namespace');
  expect(() => checkIdentity({ ...whole, deletionTimestamp: [{}] })).toThrow(
    '"metadata.deletionTimestamp" is no text',
  );
});

test.each<{ name: string; identity: Identity; key: string | undefined; version: string | undefined }>([
  { name: 'all of it', identity: whole, key: 'shop/data', version: '7' },
  { name: 'nothing', identity: {}, key: undefined, version: undefined },
  { name: 'no namespace', identity: { name: 'data' }, key: 'data', version: undefined },
  {
    name: 'null for a namespace',
    identity: { name: 'data', namespace: null },
    key: 'data',
    version: undefined,
  },
  {
    name: 'a namespace of two names',
    identity: { ...whole, namespace: 'a/b' },
    key: undefined,
    version: '7',
  },
  {
    name: 'a namespace of 254',
    identity: { ...whole, namespace: `${longest}a` },
    key: undefined,
    version: '7',
  },
  { name: 'a name of two', identity: { ...whole, name: 'a/b' }, key: undefined, version: '7' },
  { name: 'a name of 253', identity: { ...whole, name: longest }, key: `shop/${longest}`, version: '7' },
  { name: 'a name of 254', identity: { ...whole, name: `${longest}a` }, key: undefined, version: '7' },
  {
    name: 'a version that is a number',
    identity: { name: 'data', resourceVersion: 7 },
    key: 'data',
    version: undefined,
  },
  {
    name: 'an empty version',
    identity: { name: 'data', resourceVersion: '' },
    key: 'data',
    version: undefined,
  },
])(
  'unreadable, with $name of its identity -> known by key $key, version $version',
  ({ identity, key, version }) => {
    const error = new UnreadableObject(identity, new Error('torn'));
    expect(error).toMatchObject({ name: 'UnreadableObject', key, resourceVersion: version });
    expect(error.message).toBe(`${key ?? 'an object without a name'} can't be read: torn`);
    expect(versionIn(identity)).toBe(version);
  },
);

test('what was thrown is no Error -> its words', () => {
  expect(new UnreadableObject(whole, 'torn').message).toBe("shop/data can't be read: torn");
});

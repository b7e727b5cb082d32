import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../src/meta/json.ts';
import { builtInResources } from '../src/resources/registry.ts';
import { DecodeError, decodeStruct } from '../src/schema/decode.ts';
import { writeEnvelope, writeList, writeWatchFrame } from '../src/schema/protobuf-envelope.ts';
import { writeMessage } from '../src/schema/protobuf-writer.ts';
import { openEnvelope, readMessage } from '../src/schema/protobuf.ts';
import { randomObject } from './random-object.ts';

interface Recorded {
  readonly struct: string;
  readonly protobuf: string;
  readonly json: JsonObject & { readonly kind: string; readonly apiVersion: string };
}

const read = (name: string): readonly Recorded[] =>
  JSON.parse(readFileSync(new URL(`recorded/${name}`, import.meta.url), 'utf8')) as readonly Recorded[];

// Objects that kube-apiserver 1.36.3 gave both as protobuf and as JSON.
const recorded = read('protobuf.json');
const everyRecorded = [...recorded, ...read('protobuf-answers.json')];

describe('protobuf bodies', () => {
  test.each(recorded)('$struct -> the JSON that the server shows of it', ({ struct, protobuf, json }) => {
    const envelope = openEnvelope(Buffer.from(protobuf, 'base64'));
    const { value, unknownFields } = decodeStruct(struct, readMessage(envelope.raw, struct));
    expect({ kind: envelope.kind, apiVersion: envelope.apiVersion, ...value }).toEqual(json);
    expect(unknownFields).toStrictEqual([]);
  });

  test.each(recorded)('$struct cut short -> refused, not misread', ({ struct, protobuf }) => {
    const { raw } = openEnvelope(Buffer.from(protobuf, 'base64'));
    expect(() => readMessage(raw.subarray(0, raw.length - 1), struct)).toThrow(DecodeError);
  });

  test('JSON where protobuf is announced -> refused', () => {
    expect(() => openEnvelope(Buffer.from('{}'))).toThrow(DecodeError);
  });
});

describe('protobuf answers', () => {
  test.each(everyRecorded)('$struct -> the very bytes of the real server', ({ struct, protobuf, json }) => {
    const bytes = writeEnvelope(json.apiVersion, json.kind, writeMessage(json, struct));
    expect(bytes.toString('base64')).toBe(protobuf);
  });

  const structs = [
    ...new Set(builtInResources.flatMap(({ struct }) => (struct === undefined ? [] : [struct]))),
  ];
  test.each(structs)('random %s -> reads back as it was', (struct) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const object = randomObject(struct, seed);
        expect(decodeStruct(struct, readMessage(writeMessage(object, struct), struct)).value).toEqual(object);
      }),
      { numRuns: 4 },
    );
  });

  test.each<readonly [what: string, struct: string, object: JsonObject, hex: string]>([
    ['nothing set -> zeros of what is no pointer', 'meta.v1.ListMeta', {}, '0a0012001a00'],
    ['negative number of 32 bits -> ten bytes', 'meta.v1.Status', { code: -1 }, '30ffffffffffffffffff01'],
    [
      'number above 32 bits -> as a varint',
      'meta.v1.ListMeta',
      { remainingItemCount: 2 ** 40 },
      '2080808080 8020',
    ],
    [
      'time before 1970 -> whole seconds',
      'meta.v1.Condition',
      { lastTransitionTime: '1969-12-31T23:59:59.5Z' },
      '08ffffffffffffffffff0110 00',
    ],
    [
      'time with microseconds -> nanoseconds',
      'coordination.v1.LeaseSpec',
      { renewTime: '1970-01-01T00:00:01.000002Z' },
      '080110d00f',
    ],
    [
      'keys beyond the first plane -> after all others, by their bytes',
      'meta.v1.LabelSelector',
      { matchLabels: { '\u{1f600}': '', '\ue000': '' } },
      '0a070a03ee808012000a080a04f09f98801200',
    ],
    ['Secret without bytes -> an empty value', 'core.v1.Secret', { data: { a: '' } }, '12050a01611200'],
    [
      'allowed properties -> a boolean alone',
      'apiextensions.v1.JSONSchemaProps',
      { additionalProperties: false },
      '0800',
    ],
  ])('%s', (_what, struct, object, hex) => {
    expect(writeMessage(object, struct).toString('hex')).toContain(hex.replaceAll(' ', ''));
  });

  test('field that the struct does not have -> left out', () => {
    expect(writeMessage({ other: 1 }, 'meta.v1.ListMeta')).toEqual(writeMessage({}, 'meta.v1.ListMeta'));
  });

  test('message larger than the space for it -> whole, and so is the next', () => {
    const data = { a: 'x'.repeat(3_000_000), b: 'y' };
    const { value } = decodeStruct('core.v1.ConfigMap', { data });
    const large = writeMessage(value, 'core.v1.ConfigMap');
    expect(readMessage(large, 'core.v1.ConfigMap')['data']).toEqual(data);
    expect(writeMessage({}, 'meta.v1.ListMeta').toString('hex')).toBe('0a0012001a00');
  });

  test('list -> its metadata, then the messages of its items, as the real server gives it', () => {
    const empty = writeList('v1', 'SecretList', { resourceVersion: '205' }, []);
    // Recorded.
    expect(empty.toString('latin1')).toBe(
      'k8s\0\n\x10\n\x02v1\x12\nSecretList\x12\x0b\n\t\n\0\x12\x03205\x1a\0\x1a\0"\0',
    );
    const items = ['a', 'bc'].map((text) => Buffer.from(text));
    expect(openEnvelope(writeList('v1', 'SecretList', {}, items)).raw.toString('latin1')).toBe(
      '\n\x06\n\0\x12\0\x1a\0\x12\x01a\x12\x02bc',
    );
  });

  test('event of a watch -> its length in four bytes, its type, the envelope of its object', () => {
    expect(writeWatchFrame('ADDED', Buffer.from('k8s\0')).toString('latin1')).toBe(
      '\0\0\0\x0f\n\x05ADDED\x12\x06\n\x04k8s\0',
    );
  });
});

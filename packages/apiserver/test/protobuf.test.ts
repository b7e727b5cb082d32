import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { DecodeError, decodeStruct } from '../src/schema/decode.ts';
import { openEnvelope, readMessage } from '../src/schema/protobuf.ts';

// Objects that kube-apiserver 1.36.3 gave both as protobuf and as JSON.
const recorded = JSON.parse(
  readFileSync(new URL('recorded/protobuf.json', import.meta.url), 'utf8'),
) as readonly {
  readonly struct: string;
  readonly protobuf: string;
  readonly json: { readonly kind: string; readonly apiVersion: string };
}[];

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

/** An object, limited to what a watch of pods needs. */
export interface Named {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** The node that the pod is on. */
  readonly node: string;
}

/** The format in which a server writes lists and watches. */
export interface WireForm {
  readonly contentType: string;
  list(version: string, items: readonly Named[]): Buffer;
  /** Returns one event, delimited from the next. */
  event(type: string, object: Named): Buffer;
  /** Returns the event that marks that everything which existed at the version has been sent. */
  listEnd(version: string): Buffer;
  /** Delimits arbitrary bytes as if they were an event. */
  frame(bytes: Buffer): Buffer;
}

const initialEventsEnd = 'k8s.io/initial-events-end';

function jsonObject({ name, uid, version, node }: Named): object {
  return { metadata: { name, namespace: 'shop', uid, resourceVersion: version }, spec: { nodeName: node } };
}

const jsonForm: WireForm = {
  contentType: 'application/json',
  list: (version, items) =>
    Buffer.from(
      JSON.stringify({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: version },
        items: items.map(jsonObject),
      }),
    ),
  event: (type, object) => Buffer.from(`${JSON.stringify({ type, object: jsonObject(object) })}\n`),
  listEnd: (version) => {
    const metadata = { resourceVersion: version, annotations: { [initialEventsEnd]: 'true' } };
    return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
  },
  frame: (bytes) => Buffer.concat([bytes, Buffer.from('\n')]),
};

/** A protobuf field whose value is bytes: a text or a message. */
export function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) {
      return Buffer.from([...bytes, rest]);
    }
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/**
 * `runtime.Unknown` after the magic bytes. The field numbers are those in `generated.proto` of apimachinery.
 */
function envelope(raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(2, raw)]);
}

function protobufPod({ name, uid, version, node }: Named): Buffer {
  const metadata = Buffer.concat([field(1, name), field(3, 'shop'), field(5, uid), field(6, version)]);
  return Buffer.concat([field(1, metadata), field(2, field(10, node))]);
}

function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function protobufEvent(type: string, object: Buffer): Buffer {
  return framed(Buffer.concat([field(1, type), field(2, field(1, envelope(object)))]));
}

const protobufForm: WireForm = {
  contentType: 'application/vnd.kubernetes.protobuf',
  list: (version, items) =>
    envelope(
      Buffer.concat([field(1, field(2, version)), ...items.map((item) => field(2, protobufPod(item)))]),
    ),
  event: (type, object) => protobufEvent(type, protobufPod(object)),
  listEnd: (version) => {
    const annotation = field(12, Buffer.concat([field(1, initialEventsEnd), field(2, 'true')]));
    return protobufEvent('BOOKMARK', field(1, Buffer.concat([field(6, version), annotation])));
  },
  frame: framed,
};

export const wireForms = { json: jsonForm, protobuf: protobufForm } as const;

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as requestOf } from 'node:https';
import type { AddressInfo } from 'node:net';
import { encodeEvent, encodeList, encodeObject, encodeStruct } from '../wire/go-encoder.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

interface Front {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Stands before the embedded API server, asks it for JSON alone, and puts what it says of claims into protobuf where
 * that is asked for: lists, watches event by event, and failures. What breaks behind it breaks before it. The server's
 * own encoder has no part in it, so that a mistake of that one is not read back as it was written.
 */
export async function startProtobufFront(target: string): Promise<Front> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    const { accept = '', ...headers } = incoming.headers;
    const wantsProtobuf = accept.startsWith(protobuf);
    const outgoing = requestOf(
      {
        hostname,
        port,
        // Its certificate is its own; who it is makes no difference here.
        rejectUnauthorized: false,
        method: incoming.method,
        path: incoming.url,
        headers: { ...headers, accept: wantsProtobuf ? 'application/json' : accept },
      },
      (answer) => {
        answer.on('error', () => response.destroy());
        answer.on('aborted', () => response.destroy());
        const isWatch = new URL(incoming.url ?? '', target).searchParams.get('watch') === 'true';
        if (!wantsProtobuf) {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        } else if (isWatch && answer.statusCode === 200) {
          passEvents(answer, response);
        } else {
          passWhole(answer, response);
        }
      },
    );
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function passEvents(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': `${protobuf};stream=watch` }).flushHeaders();
  let rest = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: JsonObject };
      response.write(encodeEvent(type, type === 'ERROR' ? statusOf(object) : claimOf(object)));
    }
  });
  answer.on('end', () => {
    if (answer.complete) {
      response.end();
    }
  });
}

function passWhole(answer: IncomingMessage, response: ServerResponse): void {
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  answer.on('end', () => {
    const { kind, metadata, items } = JSON.parse(text) as {
      readonly kind: string;
      readonly metadata: { readonly resourceVersion: string };
      readonly items: readonly JsonObject[];
    };
    const retryAfter = answer.headers['retry-after'];
    response.writeHead(answer.statusCode ?? 500, {
      'content-type': protobuf,
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    });
    response.end(
      kind === 'Status'
        ? statusOf(JSON.parse(text) as JsonObject)
        : encodeList(
            'v1',
            'PersistentVolumeClaim',
            metadata,
            items.map((item) => encodeStruct(claimStruct, item)),
          ),
    );
  });
}

const claimStruct = 'core.v1.PersistentVolumeClaim';

function claimOf(object: JsonObject): Buffer {
  return encodeObject('v1', 'PersistentVolumeClaim', encodeStruct(claimStruct, object));
}

function statusOf(object: JsonObject): Buffer {
  return encodeObject('v1', 'Status', encodeStruct('meta.v1.Status', object));
}

import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../../../apiserver/src/meta/json.ts';
import { writeList } from '../../../apiserver/src/schema/protobuf-envelope.ts';
import { writeMessage } from '../../../apiserver/src/schema/protobuf-writer.ts';
import { openEnvelope } from '../../../apiserver/src/schema/protobuf.ts';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { startRealControlPlane } from '../../src/real/real-control-plane.ts';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';
import { builtInKinds } from './random-requests.ts';

/*
 * Random objects of every kind, as the real server lists them in JSON and in protobuf: what the embedded server writes
 * of the JSON is the same protobuf, byte for byte. The title shows the seed.
 */

const seed = Number(process.env['HOLDFAST_PROTOBUF_SEED'] ?? randomInt(2 ** 31));
const objectsPerKind = 25;
/** At a list that nothing changes meanwhile. */
const attempts = 20;

const missing = controlPlaneMissing({ backend: 'real', release: '1.36' });
const block = missing === undefined ? describe : describe.skip;
const title = `protobuf of the real API server, seed ${seed}`;

interface List {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: JsonObject;
  readonly items: readonly JsonObject[] | null;
}

block(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
  let plane: ControlPlane;
  const namespace = `protobuf-${seed}`;
  beforeAll(async () => {
    plane = await startRealControlPlane({ release: '1.36' });
    await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  }, 90_000);
  afterAll(() => plane.stop());

  async function send(
    method: string,
    path: string,
    body?: object,
    accept = 'application/json',
  ): Promise<Buffer> {
    const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
    const text = body === undefined ? '' : JSON.stringify(body).replaceAll('$NS', namespace);
    const headers = {
      accept,
      authorization: `Bearer ${users[0].user.token}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // The certificate is one that nobody signed, on the loopback interface.
      const options = { method, headers, rejectUnauthorized: false };
      httpsRequest(plane.url + path, options, resolve)
        .on('error', reject)
        .end(text);
    });
    return buffer(response);
  }

  /** The same list in both forms. */
  async function lists(path: string): Promise<readonly [List, Buffer]> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = await send('GET', path);
      const bytes = await send('GET', path, undefined, 'application/vnd.kubernetes.protobuf');
      if (before.equals(await send('GET', path))) {
        return [JSON.parse(before.toString()) as List, bytes];
      }
    }
    throw new Error(`${path} changed at each of ${attempts} looks`);
  }

  test.each(builtInKinds.map((kind) => [`${kind.apiVersion} ${kind.plural}`, kind] as const))(
    '%s -> the same bytes',
    async (_name, { path, struct = '', body, nameOf, statuses, changes }) => {
      const collection = path.replaceAll('$NS', namespace);
      for (let index = 0; index < objectsPerKind; index++) {
        const name = nameOf('a').replaceAll('$NS', namespace);
        // Names that are no mere letters mean something.
        const own = /(?:^|-)[a-z]$/.test(name) ? `${name}${index}` : name;
        const [object] = fc.sample(body(own), { numRuns: 1, seed: seed + index });
        // Refusals make no object, and that is all.
        const given = {
          ...object,
          metadata: { ...object?.metadata, resourceVersion: undefined, uid: undefined },
        };
        await send('POST', collection, given);
        for (const fields of [...statuses, ...changes].filter((_, at) => at % objectsPerKind === index)) {
          await send('PATCH', `${collection}/${own}/status`, fields);
          await send('PATCH', `${collection}/${own}`, fields);
        }
      }
      const [{ apiVersion, kind, metadata, items }, bytes] = await lists(collection);
      const messages = (items ?? []).map((item) => writeMessage(item, struct));
      expect(messages.length).toBeGreaterThan(0);
      expect(openEnvelope(bytes)).toMatchObject({ apiVersion, kind });
      expect(writeList(apiVersion, kind, metadata, messages).toString('latin1')).toBe(
        bytes.toString('latin1'),
      );
    },
    120_000,
  );
});

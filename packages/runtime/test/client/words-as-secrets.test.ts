import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { isAlreadyExists, isNotFound, isOutdated } from '../../src/client/api-error.ts';
import { guardedWrite } from '../../src/client/guarded-write.ts';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { createLocalClient } from './local-client.ts';
import { answerJson, startLocalServer } from './local-server.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(closing.splice(0).map((each) => each.close())));

/**
 * The words are forgotten when as many others were added as are remembered: test files that follow in this process use
 * them.
 */
afterAll(() => {
  for (let other = 0; other < 32; other++) {
    processSecrets.add(`${randomUUID()} is no word`);
  }
  expect(processSecrets.redact('NotFound AlreadyExists')).toBe('NotFound AlreadyExists');
});

/** Asks for a claim, and writes one, of a server that answers with this Status. */
async function answered(code: number, reason: string, message: string) {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  const server = await startLocalServer((response) => answerJson(response, code, status));
  const client = createLocalClient(server);
  closing.push(client, server);
  const ref = { namespace: 'shop', name: 'data' };
  const error = await client.get(persistentVolumeClaims, ref).catch((thrown: unknown) => thrown);
  const written = await guardedWrite(() => client.patch(persistentVolumeClaims, ref, []));
  return { error, written: written.kind };
}

const notApplied = 'the server rejected our request due to an error in our request';

describe.each(['NotFound', 'AlreadyExists', 'Status', 'request', 'message', 'reason', '"kind"'])(
  'password %s',
  (password) => {
    test('answers of the API server in which the word is -> mean what they say', async () => {
      processSecrets.add(password);
      const missing = await answered(404, 'NotFound', 'persistentvolumeclaims "data" not found');
      expect([isNotFound(missing.error), missing.written]).toEqual([true, 'gone']);
      const outdated = await answered(422, 'Invalid', notApplied);
      expect([isOutdated(outdated.error), outdated.written]).toEqual([true, 'outdated']);
      expect(isAlreadyExists((await answered(409, 'AlreadyExists', 'it is there')).error)).toBe(true);
    });
  },
);

test('password repeated in a message -> not in the text of the error', async () => {
  processSecrets.add('open sesame');
  const { error } = await answered(403, 'Forbidden', 'user has no "open sesame"');
  expect(error).toHaveProperty('message', expect.stringContaining('403 Forbidden: user has no "[redacted]"'));
});

import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApiServer } from '@holdfast/apiserver';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { startRealControlPlane } from '../../src/real/real-control-plane.ts';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';

/*
 * The descriptions in OpenAPI are words of our own: they must not be those of the real server, not even in parts. What
 * they describe must be what it publishes.
 */

const missing = controlPlaneMissing({ backend: 'real', release: '1.36' });
const block = missing === undefined ? describe : describe.skip;
const title = 'descriptions beside those of the real API server';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
type Definitions = Readonly<Record<string, Schema>>;

/** Words in a row that are somebody's own. */
const own = 8;

function wordsOf(description: string): readonly string[] {
  return description.toLowerCase().match(/[\w']+/g) ?? [];
}

function descriptionsOf(definitions: Definitions): ReadonlySet<string> {
  const all = Object.values(definitions).flatMap((schema) => [
    schema.description,
    ...Object.values(schema.properties ?? {}).map(({ description }) => description),
  ]);
  return new Set(all.filter((description) => description !== undefined));
}

function runsOf(words: readonly string[], length: number): readonly string[] {
  return words.slice(length - 1).map((_, start) => words.slice(start, start + length).join(' '));
}

/** Types, and fields after a dot. */
function namesOf(definitions: Definitions): readonly string[] {
  return Object.entries(definitions).flatMap(([name, { properties = {} }]) => [
    name,
    ...Object.keys(properties).map((field) => `${name}.${field}`),
  ]);
}

block(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
  let plane: ControlPlane;
  let ours: Definitions = {};
  let theirs: Definitions = {};

  beforeAll(async () => {
    plane = await startRealControlPlane({ release: '1.36' });
    theirs = definitionsOf(await realDocument());
    const server = await startApiServer({ tls: false });
    ours = definitionsOf((await server.handle('GET', '/openapi/v2')).body);
    await server.stop();
  }, 90_000);
  afterAll(() => plane.stop());

  function definitionsOf(document: string): Definitions {
    return (JSON.parse(document) as { readonly definitions: Definitions }).definitions;
  }

  async function realDocument(): Promise<string> {
    const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
    const headers = { accept: 'application/json', authorization: `Bearer ${users[0].user.token}` };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // The certificate is one that nobody signed, on the loopback interface.
      request(`${plane.url}/openapi/v2`, { headers, rejectUnauthorized: false }, resolve)
        .on('error', reject)
        .end();
    });
    return text(response);
  }

  test('types and fields that are described -> the real server publishes each of them', () => {
    const published = new Set(namesOf(theirs));
    expect(namesOf(ours).length).toBeGreaterThan(2_500);
    expect(namesOf(ours).filter((name) => !published.has(name))).toStrictEqual([]);
  });

  test('eight words in a row -> never those of the real server', () => {
    const known = new Set(
      [...descriptionsOf(theirs)].flatMap((description) => runsOf(wordsOf(description), own)),
    );
    const copied = [...descriptionsOf(ours)].filter((description) =>
      runsOf(wordsOf(description), own).some((run) => known.has(run)),
    );
    expect(known.size).toBeGreaterThan(10_000);
    expect(copied).toStrictEqual([]);
  });

  test('more than six words -> never, as a whole or in a part, a description of the real server', () => {
    // Of three words and less, such as "Name of object", there is no other way to put some.
    const known = [...descriptionsOf(theirs)]
      .map(wordsOf)
      .filter((words) => words.length > 3)
      .map((words) => ` ${words.join(' ')} `);
    const copied = [...descriptionsOf(ours)]
      .map(wordsOf)
      .filter((words) => words.length > 6)
      .map((words) => ` ${words.join(' ')} `)
      .filter((words) => known.some((each) => words.includes(each)));
    expect(known.length).toBeGreaterThan(1_500);
    expect(copied).toStrictEqual([]);
  });
});

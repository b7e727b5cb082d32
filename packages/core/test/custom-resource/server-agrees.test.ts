import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApiServer, type ApiServer } from '@holdfast/apiserver';
import fc from 'fast-check';
import { defineResource } from '@holdfast/core/custom-resource';
import { samples } from './random-schema.ts';

/* The promise of defineResource: the API server takes what zod takes, and gives what zod gives. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

test('any expressible schema, any values -> the definition is taken; an object is, if and only if zod takes it, and becomes the same', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      samples.chain(({ schema, values }) =>
        fc.tuple(fc.constant(schema), fc.array(values, { minLength: 1, maxLength: 12 })),
      ),
      async ([spec, values]) => {
        const group = `run${run++}.example.com`;
        const sites = defineResource({ group, version: 'v1', kind: 'Site', spec });
        const defined = await server.handle('POST', definitions, JSON.stringify(sites.definition));
        expect([defined.code, defined.code === 201 ? '' : defined.body]).toEqual([201, '']);
        const verdicts = [];
        for (const [index, value] of values.entries()) {
          const object = {
            apiVersion: `${group}/v1`,
            kind: 'Site',
            metadata: { name: `site-${index}` },
            spec: value,
          };
          const answer = await server.handle(
            'POST',
            `/apis/${group}/v1/namespaces/default/sites`,
            JSON.stringify(object),
          );
          const body = JSON.parse(answer.body) as { readonly spec?: unknown; readonly message?: string };
          const checked = sites.check(JSON.parse(JSON.stringify(object)));
          verdicts.push({
            value,
            server: answer.code === 201 ? { spec: body.spec } : 'refused',
            zod: checked.kind === 'valid' ? { spec: checked.object.spec } : 'refused',
            said: [body.message, checked.kind === 'valid' ? '' : checked.problems],
          });
        }
        for (const verdict of verdicts) {
          expect(verdict).toEqual({ ...verdict, zod: verdict.server });
        }
        await server.handle('DELETE', `${definitions}/sites.${group}`);
      },
    ),
    { numRuns: 150 },
  );
});

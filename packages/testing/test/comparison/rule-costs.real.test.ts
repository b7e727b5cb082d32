import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { startEmbeddedControlPlane } from '../../src/embedded-control-plane.ts';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { startRealControlPlane } from '../../src/real/real-control-plane.ts';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';
import { type Endpoint, replay } from '../../../apiserver/test/recorded/replay.ts';
import { type RuledSchema, randomRules } from './random-rules.ts';
import { wholeNumber } from './whole-number.ts';

/*
 * Random rules in CEL, in definitions for the embedded API server and a real one: what is refused for its estimated
 * cost must be the same, and by the same factor. The title shows the seed. The long run:
 *   HOLDFAST_RULES=20000 npm run test:real -- rule-costs
 */

const count = wholeNumber('HOLDFAST_RULES', 500);
const seed = wholeNumber('HOLDFAST_RULES_SEED', randomInt(2 ** 31));
const inOneDefinition = 25;

const missing = controlPlaneMissing({ backend: 'real', release: '1.36' });
const block = missing === undefined ? describe : describe.skip;
const title = `embedded and real API server, ${count} rules, seed ${seed}`;

block(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
  let planes: readonly [ControlPlane, ControlPlane];
  beforeAll(async () => {
    planes = await Promise.all([startRealControlPlane({ release: '1.36' }), startEmbeddedControlPlane({})]);
  }, 90_000);
  afterAll(() => Promise.all(planes.map((plane) => plane.stop())));

  test(
    'the same definitions -> the same costs',
    async () => {
      const rules = fc.sample(randomRules, { numRuns: count, seed });
      let compared = 0;
      for (let from = 0; from < rules.length; from += inOneDefinition) {
        const part = rules.slice(from, from + inOneDefinition);
        const [real, embedded] = await Promise.all([
          judged(part, endpointOf(planes[0])),
          judged(part, endpointOf(planes[1])),
        ]);
        // What is refused for something else, such as a literal that always fails, is found in other words or not at
        // all.
        const isOfCost = (answer: Judged | undefined): boolean =>
          answer?.errors.every((error) => error.includes('estimated')) === true;
        for (const index of part.keys()) {
          if (isOfCost(real[index]) && isOfCost(embedded[index])) {
            expect(embedded[index]).toEqual(real[index]);
            compared++;
          }
        }
      }
      expect(compared).toBeGreaterThan(count * 0.9);
    },
    60_000 + count * 100,
  );
});

function endpointOf({ url, kubeconfig }: ControlPlane): Endpoint {
  const { users } = JSON.parse(kubeconfig) as { users: { user: { token: string } }[] };
  return { url, token: users[0]?.user.token ?? '' };
}

interface Judged extends RuledSchema {
  readonly errors: readonly string[];
}

/** The rules, each with what is said of its cost, in lists whose lengths let costs of all sizes come near the limit. */
async function judged(rules: readonly RuledSchema[], endpoint: Endpoint): Promise<readonly Judged[]> {
  const lists = rules.map(({ schema, rule }, index) => [
    `r${index}`,
    {
      ...{ type: 'array', maxItems: 3 ** (index % 15) },
      items: { ...schema, 'x-kubernetes-validations': [{ rule }] },
    },
  ]);
  const root = { type: 'object', properties: Object.fromEntries(lists) as Record<string, unknown> };
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'costs.rules.example.com' },
    spec: {
      ...{ group: 'rules.example.com', scope: 'Cluster', names: { plural: 'costs', kind: 'Cost' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
  const { body } = await replay(`POST ${path} ${JSON.stringify(definition)}`, endpoint, 'default');
  const { details } = body as { details?: { causes?: readonly { field: string; message: string }[] } };
  return rules.map(({ schema, rule }, index) => ({
    rule,
    schema,
    errors: (details?.causes ?? [])
      .filter(({ field, message }) => field.includes(`[r${index}]`) && !message.includes('contributed to'))
      .map(({ message }) => message),
  }));
}

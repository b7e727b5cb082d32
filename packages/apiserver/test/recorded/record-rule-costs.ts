import { replay } from './replay.ts';
import { type CostedRule, factorOf, itemWith, readCosts, writeCosts } from './rule-costs.ts';

/*
 * Writes the factors in rule-costs.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-rule-costs.ts https://127.0.0.1:6443 <token of an admin>
 */

const [url = '', token = ''] = process.argv.slice(2);
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
const answered: CostedRule[] = [];
for (const costed of readCosts()) {
  const list = {
    ...{ type: 'array', maxItems: costed.maxItems, items: itemWith([costed]) },
    // The items have old values.
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['t'] },
  };
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'costs.rules.example.com' },
    spec: {
      group: 'rules.example.com',
      scope: 'Cluster',
      names: { plural: 'costs', kind: 'Cost' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { list } } },
        },
      ],
    },
  };
  const request = `POST ${definitions} ${JSON.stringify(definition)}`;
  const { code, body } = await replay(request, { url, token }, 'default');
  const { details } = body as { readonly details?: { readonly causes?: readonly { message: string }[] } };
  const factor = factorOf(details?.causes?.[0]?.message);
  if (code !== 201 && factor === null) {
    throw new Error(`${costed.rule} is refused for something else than its cost: ${JSON.stringify(body)}`);
  }
  answered.push({ ...costed, factor });
}
writeCosts(answered);

import { configMaps, isConditionTrue, statefulSets } from '@holdfast/core';
import { conditionList, defineResource } from '@holdfast/core/custom-resource';
import {
  appCommand,
  checkWebhookConfig,
  Counter,
  objectController,
  validating,
  webhookFlags,
  type AppOf,
} from '@holdfast/runtime';
import { z } from 'zod';

export const sites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  spec: z.object({ host: z.string().min(1), replicas: z.int32().min(0).default(1), content: z.string() }),
  status: z.object({ readyReplicas: z.int32(), conditions: z.exactOptional(conditionList) }),
});

export const drain = 'example.com/drain';
const label = 'example.com/site';
const name = 'site-operator';
export const command = appCommand({
  name,
  version: '1.0.0',
  description: 'serves the content of each Site from a StatefulSet of its own.',
  gates: {
    SleepingSites: { stage: 'alpha', default: false, since: '1.0', description: 'Empty sites have no pods.' },
  },
  flags: webhookFlags(name),
  check: checkWebhookConfig,
});

export const webhooks = validating(sites, (site, before) =>
  before !== undefined && before.spec.host !== site.spec.host ? 'a site keeps its host' : undefined,
);

export function siteOperator(app: AppOf<typeof command>): void {
  const all = app.watch(sites);
  const maps = app.watch(configMaps, { labelSelector: label });
  const sets = app.watch(statefulSets, { labelSelector: label });
  const served = new Counter({ name: 'sites_served_total', help: 'Came up.', registers: [app.registry] });

  const setOf = (name: string, labels: Record<string, string>, replicas: number) => {
    const volumes = [{ name: 'content', configMap: { name } }];
    const volumeMounts = [{ name: 'content', mountPath: '/usr/share/nginx/html' }];
    const containers = [{ name: 'web', image: 'nginx:1.29', volumeMounts }];
    const template = { metadata: { labels }, spec: { containers, volumes } };
    const spec = { replicas, serviceName: name, selector: { matchLabels: labels }, template };
    return { metadata: { name, labels }, spec };
  };

  objectController(app, {
    for: all,
    owns: [maps, sets],
    finalizer: {
      name: drain,
      cleanup: async ({ object: { metadata }, change }) => {
        const set = await change(sets, setOf(metadata.name, { [label]: metadata.name }, 0));
        const { observedGeneration, replicas } = set?.status ?? {};
        return set === undefined || (replicas === 0 && observedGeneration === set.metadata.generation);
      },
    },
    reconcile: async ({ object, apply, status, event }) => {
      const { name } = object.metadata;
      const labels = { [label]: name };
      await apply(maps, { metadata: { name, labels }, data: { 'index.html': object.spec.content } });
      const isAsleep = object.spec.content === '' && app.gates.enabled('SleepingSites');
      const wanted = isAsleep ? 0 : object.spec.replicas;
      const set = await apply(sets, setOf(name, labels, wanted));
      const readyReplicas = set.status?.readyReplicas ?? 0;
      const isReady = readyReplicas >= wanted;
      const [is, reason] = isReady ? (['True', 'Served'] as const) : (['False', 'Waiting'] as const);
      const message = `${readyReplicas} of ${wanted} pods are ready`;
      await status({ readyReplicas }, [{ type: 'Ready', status: is, reason, message }]);
      // After the status, whose write is refused if the cache was behind and the site was up already.
      if (isReady && !isConditionTrue(object.status?.conditions, 'Ready')) {
        served.inc();
        event({ type: 'Normal', reason: 'Served', action: 'Serve', note: `${object.spec.host} is up` });
      }
    },
  });
}

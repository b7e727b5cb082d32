import { configMaps, isConditionTrue, statefulSets } from '@holdfast/core';
import { conditionList, defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import {
  appCommand,
  checkWebhookConfig,
  Counter,
  objectController,
  validating,
  webhookFlags,
  type AppOf,
  type ObjectContext,
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

  const serve = async ({ object, apply }: ObjectContext<ObjectOf<typeof sites>>, replicas: number) => {
    const { name } = object.metadata;
    const metadata = { name, labels: { [label]: name } };
    await apply(maps, { metadata, data: { 'index.html': object.spec.content } });
    const volumes = [{ name: 'content', configMap: { name } }];
    const volumeMounts = [{ name: 'content', mountPath: '/usr/share/nginx/html' }];
    const containers = [{ name: 'web', image: 'nginx:1.29', volumeMounts }];
    const template = { metadata: { labels: metadata.labels }, spec: { containers, volumes } };
    const selector = { matchLabels: metadata.labels };
    return apply(sets, { metadata, spec: { replicas, serviceName: name, selector, template } });
  };

  objectController(app, {
    for: all,
    owns: [maps, sets],
    finalizer: {
      name: drain,
      cleanup: async (context) => {
        const { metadata, status } = await serve(context, 0);
        return status?.observedGeneration === metadata.generation && status?.replicas === 0;
      },
    },
    reconcile: async (context) => {
      const { object, status, event } = context;
      const isAsleep = object.spec.content === '' && app.gates.enabled('SleepingSites');
      const wanted = isAsleep ? 0 : object.spec.replicas;
      const readyReplicas = (await serve(context, wanted)).status?.readyReplicas ?? 0;
      const isReady = readyReplicas >= wanted;
      if (isReady && !isConditionTrue(object.status?.conditions, 'Ready')) {
        served.inc();
        event({ type: 'Normal', reason: 'Served', action: 'Serve', note: `${object.spec.host} is up` });
      }
      const [is, reason] = isReady ? (['True', 'Served'] as const) : (['False', 'Waiting'] as const);
      const message = `${readyReplicas} of ${wanted} pods are ready`;
      await status({ readyReplicas }, [{ type: 'Ready', status: is, reason, message }]);
    },
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { deploy, type Manifest } from './kustomize.ts';

/*
 * What holds of each file of deploy/ as it is written. It needs neither kustomize nor an API server: what they make of
 * it is shown by overlays.real.test.ts and deploy.real.test.ts.
 */

const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' })
  // Those are made from the others; the chart is compared with them by chart.test.ts.
  .filter((path) => path.endsWith('.yaml') && basename(path) !== 'install.yaml' && !path.startsWith('chart'))
  .toSorted();
const documents = files.flatMap((path) =>
  (loadAll(readFileSync(join(deploy, path), 'utf8')) as Manifest[]).map((manifest) => ({ path, manifest })),
);
/** What is applied as it is written; the rest are kustomizations and rules of Prometheus. */
const objects = documents.filter(
  ({ path, manifest }) => !path.endsWith('kustomization.yaml') && 'kind' in manifest,
);
const ofKind = (kind: string) =>
  objects
    .filter(({ manifest }) => manifest.kind === kind)
    .map(({ path, manifest }) => [path, manifest.spec ?? {}, manifest] as const);

interface PodSpec {
  readonly serviceAccountName: string;
  readonly priorityClassName?: string;
  readonly topologySpreadConstraints?: readonly object[];
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup?: number };
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly args?: readonly string[];
    readonly resources?: {
      readonly requests?: { readonly cpu?: string; readonly memory?: string };
      readonly limits?: { readonly cpu?: string; readonly memory?: string };
    };
    readonly securityContext: object;
  }[];
}
const podOf = (spec: object): PodSpec => (spec as { template: { spec: PodSpec } }).template.spec;
const pods = [...ofKind('Deployment'), ...ofKind('Job')].map(([path, spec]) => [path, podOf(spec)] as const);

describe('deploy/ as it is written', () => {
  test('B1: no object names a namespace: kustomizations alone do', () => {
    expect(objects.length).toBeGreaterThan(40);
    for (const { path, manifest } of objects) {
      const { metadata, subjects = [], webhooks = [] } = manifest;
      const named = [
        metadata.namespace,
        ...subjects.map(({ namespace }) => namespace),
        ...webhooks.map(({ clientConfig }) => clientConfig.service.namespace),
      ].filter((namespace) => namespace !== undefined);
      expect([path, named]).toEqual([path, []]);
    }
  });

  test.each(pods)('B9: pods of %s -> bounded in memory, not in CPU, and without privileges', (path, pod) => {
    const own = pod.containers.filter(({ image }) => image.startsWith('holdfast/'));
    expect(own).toHaveLength(1);
    const [container] = own;
    expect(container?.resources).toEqual({
      requests: { cpu: '10m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    });
    expect(container?.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
    });
    const isRoot = path.includes('standalone');
    expect(pod.securityContext.runAsUser).toBe(isRoot ? 0 : 65532);
    expect(pod.securityContext.runAsGroup).toBe(isRoot ? undefined : 65532);
  });

  test.each(ofKind('Deployment'))(
    'B9: %s -> a priority of its own, replicas on several nodes, and arguments that components add to',
    (path, spec) => {
      const pod = podOf(spec);
      const classes = ofKind('PriorityClass').map(([, , { metadata }]) => metadata.name);
      expect(classes).toContain(pod.priorityClassName);
      const { replicas } = spec as { replicas: number };
      expect([path, pod.topologySpreadConstraints?.length ?? 0]).toEqual([path, replicas > 1 ? 1 : 0]);
      expect(pod.containers[0]?.args).not.toHaveLength(0);
    },
  );

  test.each(ofKind('PodDisruptionBudget'))(
    'B9: %s -> one replica at a time, and none that is not ready holds up a drain',
    (_, spec) => {
      expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    },
  );
});

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type EmbeddedControlPlane, startEmbeddedControlPlane } from '../../src/embedded-control-plane.ts';
import { binaryPath, findBinaries } from '../../src/real/binaries.ts';
import { type KubectlResult, runKubectl } from '../../src/real/kubectl.ts';

jest.setTimeout(90_000);

const found = findBinaries({ release: '1.36', needed: ['kubectl'] });
const block = found.found ? describe : describe.skip;

const set = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    },
  },
};
const configMap = (data: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data,
});

block(`stock kubectl on the embedded API server${found.found ? '' : ` (skipped: ${found.reason})`}`, () => {
  let plane: EmbeddedControlPlane;
  let folder = '';
  let kubeconfigFile = '';
  const kubectl = found.found ? binaryPath(found.folder, 'kubectl') : '';

  beforeAll(async () => {
    plane = await startEmbeddedControlPlane();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-kubectl-'));
    kubeconfigFile = join(folder, 'kubeconfig.json');
    await writeFile(kubeconfigFile, plane.kubeconfig, { mode: 0o600 });
  });
  afterAll(async () => {
    await plane.stop();
    await rm(folder, { recursive: true });
  });

  const run = (args: string, input?: unknown): Promise<KubectlResult> =>
    runKubectl(kubectl, folder, kubeconfigFile, args.split(' '), {
      ...(input === undefined ? undefined : { input: JSON.stringify(input) }),
    });
  /** What it prints; it must succeed. */
  async function said(args: string, input?: unknown): Promise<string> {
    const { code, stdout, stderr } = await run(args, input);
    expect({ args, code, stderr }).toMatchObject({ args, code: 0 });
    return stdout.trim();
  }

  test('client-side apply: created, unchanged, configured; a field left out is gone', async () => {
    expect(await said('apply -f -', configMap({ a: '1', b: '2' }))).toBe('configmap/settings created');
    expect(await said('apply -f -', configMap({ a: '1', b: '2' }))).toBe('configmap/settings unchanged');
    expect(await said('apply -f -', configMap({ a: '3' }))).toBe('configmap/settings configured');
    expect(JSON.parse(await said('get cm settings -o jsonpath={.data}'))).toEqual({ a: '3' });
  });

  test('server-side apply after client-side: no conflict with itself, one with another manager, force wins', async () => {
    await said('apply -f -', configMap({ a: '3' }));
    const applied = 'configmap/settings serverside-applied';
    expect(await said('apply --server-side -f -', configMap({ a: '4' }))).toBe(applied);
    const refused = await run('apply --server-side --field-manager=other -f -', configMap({ a: '5' }));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('conflict with "kubectl": .data.a');
    const forced = 'apply --server-side --field-manager=other --force-conflicts -f -';
    expect(await said(forced, configMap({ a: '5' }))).toBe(applied);
    expect(await said('get cm settings -o jsonpath={.data.a}')).toBe('5');
  });

  test('dry runs, client and server -> nothing is stored', async () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dry' } };
    expect(await said('apply --dry-run=server -f -', other)).toBe('configmap/dry created (server dry run)');
    expect(await said('create --dry-run=client -f -', other)).toBe('configmap/dry created (dry run)');
    expect((await run('get cm dry')).stderr).toContain('configmaps "dry" not found');
  });

  test('get -o wide, describe, scale, patch of each type', async () => {
    expect(await said('apply -f -', set)).toBe('statefulset.apps/web created');
    const [head, row] = (await said('get sts -o wide')).split('\n');
    expect(head).toMatch(/^NAME +READY +AGE +CONTAINERS +IMAGES$/);
    expect(row).toMatch(/^web +0\/2 +\S+ +main +web:1$/);
    expect(await said('describe sts web')).toMatch(/Replicas: +2 desired \| 0 total/);
    expect(await said('scale sts web --replicas=3')).toBe('statefulset.apps/web scaled');
    const patches = [
      ['strategic', '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"web:2"}]}}}}'],
      ['merge', '{"spec":{"minReadySeconds":4}}'],
      ['json', '[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]'],
    ] as const;
    for (const [type, patch] of patches) {
      expect(await said(`patch sts web --type=${type} -p ${patch}`)).toBe('statefulset.apps/web patched');
    }
    const shown =
      'jsonpath={.spec.replicas},{.spec.template.spec.containers[0].image},{.spec.minReadySeconds},{.metadata.labels.x}';
    expect(await said(`get sts web -o ${shown}`)).toBe('3,web:2,4,y');
  });

  test('delete with each cascade -> what the collector needs to know is on the object', async () => {
    const waiting = { ...set, metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    const finalizers = async (cascade: string): Promise<string> => {
      await said('apply -f -', waiting);
      await said(`delete sts held --wait=false --cascade=${cascade}`);
      const present = await said('get sts held -o jsonpath={.metadata.finalizers}');
      await said('patch sts held --type=merge -p {"metadata":{"finalizers":null}}');
      return present;
    };
    expect(await finalizers('foreground')).toBe('["example.com/hold","foregroundDeletion"]');
    expect(await finalizers('orphan')).toBe('["example.com/hold","orphan"]');
    expect(await finalizers('background')).toBe('["example.com/hold"]');
  });

  test('wait: condition met, and deletion seen', async () => {
    await said('create -f -', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const waiting = said('wait pod/p --for=condition=Ready --timeout=30s');
    await said(
      'patch pod p --subresource=status -p {"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
    );
    expect(await waiting).toBe('pod/p condition met');
    const going = said('wait pod/p --for=delete --timeout=30s');
    await said('delete pod p --grace-period=0 --force --wait=false');
    await going;
  });

  test('taint, auth can-i, api-resources, an event', async () => {
    await said('create -f -', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    expect(await said('taint node n team=storage:NoSchedule')).toBe('node/n tainted');
    expect(await said('auth can-i delete pods')).toBe('yes');
    const denied = await run('auth can-i delete pods --as=nobody');
    expect([denied.code, denied.stdout.trim()]).toEqual([1, 'no']);
    expect((await said('api-resources -o name')).split('\n')).toEqual(
      expect.arrayContaining([
        'persistentvolumeclaims',
        'statefulsets.apps',
        'validatingwebhookconfigurations.admissionregistration.k8s.io',
      ]),
    );
  });

  test('get -w -> a line for each change', async () => {
    const child = spawn(kubectl, ['get', 'cm', '-w', '-o', 'name'], {
      env: { ...process.env, KUBECONFIG: kubeconfigFile, HOME: folder, KUBERC: 'off' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const seen: string[] = [];
    const watched = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        seen.push(line);
        if (line === 'configmap/last') {
          resolve();
        }
      });
    });
    // The list comes first; what follows comes by watch.
    await said('create cm first');
    await said('create cm last');
    await watched;
    child.kill();
    expect(seen).toEqual(expect.arrayContaining(['configmap/first', 'configmap/last']));
  });
});

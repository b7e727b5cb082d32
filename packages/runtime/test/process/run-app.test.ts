import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  configMaps,
  leases,
  namespaces,
  objectKey,
  parseFeatureGates,
  parseKey,
  type ConfigMap,
  type JsonPatch,
} from '@holdfast/core';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { settled } from '@holdfast/testing/fake-clock';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { ApiClient } from '../../src/client/api-client.ts';
import { connect } from '../../src/client/connect.ts';
import { guardedWrite } from '../../src/client/guarded-write.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import { resultOfWrite } from '../../src/controller/reconcile-result.ts';
import { appCommand } from '../../src/flags/app-command.ts';
import { parseCommandLine, UsageError } from '../../src/flags/command-line.ts';
import { textFlag } from '../../src/flags/flags.ts';
import type { App } from '../../src/process/app.ts';
import { runComposed, type ProgramApp } from '../../src/process/run-app.ts';
import { wake } from '../../src/process/wake.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { until } from '../until.ts';

const gates = {
  Marking: { stage: 'beta', default: true, since: '1', description: 'Marks maps.' },
} as const;

const command = appCommand({
  name: 'marker',
  version: '1.2.3',
  description: 'marks maps.',
  gates,
  flags: { mark: textFlag({ description: 'The mark.', placeholder: 'TEXT', default: 'yes' }) },
});

const slimMap = createProjection<ConfigMap>(configMaps, { data: { mark: true } });

/** An app that sets a mark in the data of each map that has data. */
function marker({ client, gates, watch, controller }: App<'Marking'>, mark: string): void {
  const maps = watch(configMaps, slimMap, undefined, { when: gates.enabled('Marking') });
  const isUnmarked = ({ data }: ConfigMap): boolean => data !== undefined && data['mark'] !== mark;
  controller({
    wakes: [wake(maps, { present: (map) => (isUnmarked(map) ? objectKey(map) : undefined) })],
    reconcile: async (key, _batch, signal) => {
      const map = maps.store.get(key);
      if (map === undefined || !isUnmarked(map)) {
        return { kind: 'done' };
      }
      const patch: JsonPatch = [{ op: 'add', path: '/data/mark', value: mark }];
      return resultOfWrite(
        await guardedWrite(() => client.patch(configMaps, parseKey(key), patch, { signal })),
      );
    },
  });
}

let plane: EmbeddedControlPlane;
let folder: string;
let admin: ApiClient;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-run-app-'));
  plane = await startEmbeddedControlPlane({ tls: false });
  await writeFile(join(folder, 'kubeconfig'), plane.kubeconfig);
  admin = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig: join(folder, 'kubeconfig'), insecureHttp: true }),
    registry: new Registry(),
    program: 'test',
    version: '0',
  });
  await admin.create(namespaces, undefined, { metadata: { name: 'shop' } });
});
afterEach(async () => {
  await admin.close();
  await plane.stop();
  await rm(folder, { recursive: true });
});

function parse(...argv: readonly string[]) {
  const line = parseCommandLine(
    command,
    [
      `--kubeconfig=${join(folder, 'kubeconfig')}`,
      '--insecure-http',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      '--log-level=error',
      '--leader-elect-resource-namespace=shop',
      ...argv,
    ],
    {},
  );
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  return {
    config: line.values,
    program: { name: command.name, version: command.version, flags: line.texts },
  };
}

const markOf = async (name: string): Promise<string | undefined> =>
  (await admin.get(configMaps, { namespace: 'shop', name })).data?.['mark'];

const becomesMarked = async (name: string, mark: string): Promise<void> => {
  while ((await markOf(name)) !== mark) {
    await settled();
  }
};

const createMap = (name: string): Promise<ConfigMap> =>
  admin.create(configMaps, 'shop', { metadata: { name }, data: { a: 'b' } });

describe('runComposed', () => {
  test('map is there, another comes -> both are marked; aborted -> lease released, exit code 0', async () => {
    await createMap('old');
    const end = new AbortController();
    const { config, program } = parse('--mark=seen');
    const exit = runComposed(config, program, (app) => marker(app, app.config.mark), { signal: end.signal });
    await becomesMarked('old', 'seen');
    await createMap('new');
    await becomesMarked('new', 'seen');
    const lease = { namespace: 'shop', name: config.leaderElectResourceName };
    expect((await admin.get(leases, lease)).spec?.holderIdentity).not.toBe('');
    end.abort();
    expect(await exit).toBe(0);
    expect((await admin.get(leases, lease)).spec?.holderIdentity).toBe('');
  });

  test('what an app is composed with -> of the program, its flags and its gates', async () => {
    const { config, program } = parse('--namespaces=shop,bank', '--concurrent-syncs=7');
    let seen: ProgramApp<typeof config> | undefined;
    const exit = await runComposed(config, program, (app) => void (seen = app), {
      signal: AbortSignal.abort(),
    });
    expect(exit).toBe(0);
    expect(seen).toMatchObject({
      name: 'marker',
      version: '1.2.3',
      namespaces: ['shop', 'bank'],
      concurrentSyncs: 7,
      config,
    });
    expect(seen?.gates.enabled('Marking')).toBe(true);
    expect(seen?.registry.getSingleMetric('event_recorder_events_total')).toBeUndefined();
    expect(seen?.registry.getSingleMetric('marker_build_info')).toBeDefined();
  });

  test('webhooks, runnables and checks -> run with it', async () => {
    const { config, program } = parse('--leader-elect=false');
    const end = new AbortController();
    const seen: string[] = [];
    const exit = runComposed(
      config,
      program,
      (app) => {
        app.run({ name: 'report', run: () => Promise.resolve(void seen.push('report')) });
      },
      {
        signal: end.signal,
        webhooks: ({ name }) => ({
          start: () => Promise.resolve(void seen.push(`webhooks of ${name}`)),
          run: () => Promise.resolve(),
          isReady: () => true,
        }),
      },
    );
    await until('all ran', () => seen.length === 2);
    end.abort();
    expect(await exit).toBe(0);
    expect(seen).toEqual(['webhooks of marker', 'report']);
  });

  test('function that composes is asynchronous -> refused', async () => {
    const { config, program } = parse('--leader-elect=false');
    const compose = (): unknown => Promise.resolve();
    await expect(runComposed(config, program, compose, { signal: AbortSignal.abort() })).rejects.toThrow(
      'the function that composes the app returns a promise',
    );
  });

  test('--uninstall -> its steps, asked for after the app was composed; without any -> refused', async () => {
    const { config, program } = parse('--uninstall', '--leader-elect=false');
    const seen: string[] = [];
    const exit = await runComposed(config, program, () => void seen.push('composed'), {
      uninstall: ({ name }) => {
        seen.push(`steps of ${name}`);
        return [];
      },
    });
    expect([exit, seen]).toEqual([0, ['composed', 'steps of marker']]);
    await expect(runComposed(config, program, () => undefined)).rejects.toThrow(UsageError);
  });

  test('gates of an app -> those of its command, and no others', () => {
    const compose = (app: App<'Marking'>): boolean => app.gates.enabled('Marking');
    // @ts-expect-error there is no such gate
    const other = (app: App<'Marking'>): boolean => app.gates.enabled('Marketing');
    expect([compose, other].map((each) => each.length)).toEqual([1, 1]);
    expect(parseFeatureGates(gates, '').enabled('Marking')).toBe(true);
  });
});

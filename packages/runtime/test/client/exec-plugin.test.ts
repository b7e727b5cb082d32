import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { configMaps } from '@holdfast/core';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { addExecAuthenticator, takeOverExecPlugins } from '../../src/client/exec-plugin.ts';
import { connect } from '../../src/client/connect.ts';
import { createCredentialSource, type Credentials } from '../../src/client/credentials.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';

const apiVersion = 'client.authentication.k8s.io/v1';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-exec-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let made = 0;

/** A kubeconfig with a plugin that runs this script, and how often it ran. */
function plugin(
  script: string,
  exec: object = {},
): {
  get(): Promise<Credentials>;
  renew(refused: Credentials): void;
  runs(): number;
  wrote(name: string): string;
} {
  const name = `plugin-${String(made++)}`;
  const log = join(folder, `${name}.runs`);
  const path = join(folder, name);
  writeFileSync(log, '');
  writeFileSync(path, `#!/bin/sh\necho run >> ${log}\n${script.replaceAll('$OUT', join(folder, name))}\n`);
  chmodSync(path, 0o755);
  const kubeconfig = join(folder, `${name}.yaml`);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'here',
      clusters: [
        {
          name: 'here',
          cluster: {
            server: 'https://10.0.0.1:6443',
            'certificate-authority-data': 'Q0E=',
            'tls-server-name': 'api',
          },
        },
      ],
      users: [{ name: 'me', user: { exec: { apiVersion, command: `./${name}`, ...exec } } }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    }),
  );
  const clock = createFakeClock();
  const source = createCredentialSource(() => loadKubeConfig({ kubeconfig }), clock);
  return {
    get: source.get,
    renew: source.renew,
    runs: () => readFileSync(log, 'utf8').split('\n').length - 1,
    wrote: (suffix) => readFileSync(join(folder, `${name}.${suffix}`), 'utf8'),
  };
}

/** Not for one that has ended and whose end nobody has asked for. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${String(pid)}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

const print = (status: object): string =>
  `echo '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}'`;

describe('plugin of the kubeconfig', () => {
  test('token -> sent; asked again -> the plugin is not run again', async () => {
    const { get, runs } = plugin(print({ token: 'token-of-plugin' }));
    expect((await get()).headers).toEqual({ authorization: 'Bearer token-of-plugin' });
    await get();
    expect(runs()).toBe(1);
  });

  test('token has expired -> the plugin is run again', async () => {
    const { get, runs } = plugin(
      print({ token: 'token-of-plugin', expirationTimestamp: '2001-01-01T00:00:00Z' }),
    );
    await get();
    await get();
    expect(runs()).toBe(2);
  });

  test('API server refuses the token -> the plugin is run again', async () => {
    const { get, renew, runs } = plugin(
      print({ token: 'token-of-plugin', expirationTimestamp: '2999-01-01T00:00:00Z' }),
    );
    renew(await get());
    await get();
    expect(runs()).toBe(2);
  });

  const printOnce = (status: object): string =>
    `[ -e $OUT.once ] && exit 1\ntouch $OUT.once\n${print(status)}`;

  test('token has expired, and the plugin fails -> its error', async () => {
    const { get } = plugin(printOnce({ token: 'old', expirationTimestamp: '2001-01-01T00:00:00Z' }));
    await get();
    await expect(get()).rejects.toThrow('ended with 1');
  });

  test.each([{ expirationTimestamp: '2999-01-01T00:00:00Z' }, { expirationTimestamp: 'soon' }, {}])(
    'API server refuses the token, and the plugin fails -> it is sent again, for it has not expired: %j',
    async (expiry) => {
      const { get, renew, runs } = plugin(printOnce({ token: 'good', ...expiry }));
      renew(await get());
      expect((await get()).headers).toEqual({ authorization: 'Bearer good' });
      expect(runs()).toBe(2);
    },
  );

  test('certificate and key -> offered in the handshake', async () => {
    const { get } = plugin(print({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }));
    expect((await get()).tls).toMatchObject({ cert: 'CERT', key: 'KEY' });
  });

  test('H2: KUBERNETES_EXEC_INFO -> version, no terminal, and the cluster only where it is asked for', async () => {
    const script = `printenv KUBERNETES_EXEC_INFO > $OUT.info; printenv MINE >> $OUT.info; ${print({ token: 't' })}`;
    const bare = plugin(script, { env: [{ name: 'MINE', value: 'yes' }] });
    await bare.get();
    const [info, mine] = bare.wrote('info').split('\n');
    expect(JSON.parse(info ?? '')).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false },
    });
    expect(mine).toBe('yes');
    const full = plugin(script, { provideClusterInfo: true });
    await full.get();
    expect(JSON.parse(full.wrote('info').split('\n')[0] ?? '')).toMatchObject({
      spec: {
        cluster: {
          server: 'https://10.0.0.1:6443',
          'certificate-authority-data': 'Q0E=',
          'tls-server-name': 'api',
        },
      },
    });
  });

  test.each<{ state: string; script: string; exec?: object; error: string }>([
    { state: 'fails', script: 'exit 3', error: 'ended with 3; run it by hand' },
    { state: 'dies by a signal', script: 'kill -9 $$', error: 'ended with SIGKILL' },
    { state: 'writes nothing', script: 'true', error: 'wrote no JSON' },
    { state: 'writes another kind', script: `echo '{"kind":"Status"}'`, error: 'wrote no ExecCredential' },
    { state: 'writes no token', script: print({}), error: 'wrote neither a token nor a certificate' },
    {
      state: 'writes half a pair',
      script: print({ clientKeyData: 'KEY', token: 't' }),
      error: 'without its certificate',
    },
    { state: 'writes without end', script: 'yes', error: 'wrote more than 1 MiB' },
    {
      state: 'wants a terminal',
      script: 'true',
      exec: { interactiveMode: 'Always' },
      error: 'wants a terminal',
    },
    {
      state: 'is not there',
      script: 'true',
      exec: { command: 'holdfast-no-such-plugin', installHint: 'get it from the vendor' },
      error: '"holdfast-no-such-plugin" of the kubeconfig is not there: get it from the vendor',
    },
  ])('it $state -> an error that says so', async ({ script, exec, error }) => {
    await expect(plugin(script, exec).get()).rejects.toThrow(error);
  });

  test('kubeconfig named by its file name alone -> the plugin beside it, not one of its name in the PATH', async () => {
    const { runs } = plugin(print({ token: 't' }));
    const kubeconfig = `plugin-${String(made - 1)}.yaml`;
    const before = process.cwd();
    process.chdir(folder);
    try {
      await loadKubeConfig({ kubeconfig }).applyToHTTPSOptions({});
    } finally {
      process.chdir(before);
    }
    expect(runs()).toBe(1);
  });

  test('H2: it hangs -> killed when its time is over, and the error says so', async () => {
    const pid = join(folder, 'pid');
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [],
      contexts: [{ name: 'here', context: { cluster: '', user: 'me' } }],
      currentContext: 'here',
      users: [
        {
          name: 'me',
          exec: { apiVersion, command: '/bin/sh', args: ['-c', `echo $$ > ${pid}; exec sleep 600`] },
        },
      ],
    });
    takeOverExecPlugins(config, folder);
    addExecAuthenticator(config, { timeLimit: 300 });
    await expect(config.applyToHTTPSOptions({})).rejects.toThrow('did not end within 300 ms, and was killed');
    expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH');
  });

  test('process has no file descriptor left -> an error that says so, and the process goes on', () => {
    const program = `
      import { openSync } from 'node:fs';
      import { addExecAuthenticator } from ${JSON.stringify(import.meta.resolve('../../src/client/exec-plugin.ts'))};
      const config = { getCurrentCluster: () => null, addAuthenticator: (each) => (config.added = each) };
      addExecAuthenticator(config, 50);
      const plugin = { apiVersion: '${apiVersion}', command: 'true' };
      process.stdout.write('begun; ');
      try { for (;;) openSync('/dev/null'); } catch {}
      const user = { name: 'me', authProvider: { config: { plugin, folder: '/' } } };
      await config.added.applyAuthentication(user, {}).catch(({ message }) => process.stdout.write(message));`;
    const { stdout, status } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program],
      { encoding: 'utf8' },
    );
    expect(stdout).toBe('begun; exec plugin "true" of the kubeconfig can\'t be started (EMFILE)');
    expect(status).toBe(0);
  });

  test('it hangs, and the process ends -> killed with it', async () => {
    const pid = join(folder, 'pid-outlived');
    const plugin = { apiVersion, command: '/bin/sh', args: ['-c', `echo $$ > ${pid}; exec sleep 600`] };
    const program = `
      import { existsSync, readFileSync } from 'node:fs';
      import { addExecAuthenticator } from ${JSON.stringify(import.meta.resolve('../../src/client/exec-plugin.ts'))};
      const config = { getCurrentCluster: () => null, addAuthenticator: (each) => (config.added = each) };
      addExecAuthenticator(config);
      const plugin = ${JSON.stringify(plugin)};
      void config.added.applyAuthentication({ name: 'me', authProvider: { config: { plugin, folder: '/' } } }, {});
      const hasBegun = () => existsSync(${JSON.stringify(pid)}) && readFileSync(${JSON.stringify(pid)}, 'utf8') !== '';
      setInterval(() => hasBegun() && process.exit(0), 5);`;
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
    expect(status).toBe(0);
    const sleeping = Number(readFileSync(pid, 'utf8'));
    try {
      const end = Date.now() + 3_000;
      while (isRunning(sleeping) && Date.now() < end) {
        await setTimeout(5);
      }
      expect(isRunning(sleeping)).toBe(false);
    } finally {
      if (isRunning(sleeping)) {
        process.kill(sleeping, 'SIGKILL');
      }
    }
  });

  test('client is closed while it runs -> killed at once, and what waits for it ends', async () => {
    const name = `plugin-${String(made++)}`;
    const pid = join(folder, `${name}.pid`);
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromOptions({
      clusters: [{ name: 'c', server: 'https://10.0.0.1:6443' }],
      contexts: [{ name: 'here', cluster: 'c', user: 'me' }],
      currentContext: 'here',
      users: [
        {
          name: 'me',
          exec: {
            apiVersion,
            command: '/bin/sh',
            args: ['-c', `echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 600`],
          },
        },
      ],
    });
    takeOverExecPlugins(kubeConfig, folder);
    addExecAuthenticator(kubeConfig);
    const client = connect({
      kubeConfig: () => kubeConfig,
      registry: new Registry(),
      program: 'p',
      version: '0',
      clock: createFakeClock(),
    });
    const read = expect(client.get(configMaps, { namespace: 'shop', name: 'data' })).rejects.toThrow(
      'was killed, because the client is closed',
    );
    while (!existsSync(pid)) {
      await setTimeout(1);
    }
    await client.close();
    await read;
    expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH');
  });

  test('X3: what it has started hangs -> killed with it', async () => {
    const pid = join(folder, 'pid-below');
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [],
      contexts: [{ name: 'here', context: { cluster: '', user: 'me' } }],
      currentContext: 'here',
      users: [
        {
          name: 'me',
          exec: { apiVersion, command: '/bin/sh', args: ['-c', `sleep 600 & echo $! > ${pid}; wait`] },
        },
      ],
    });
    takeOverExecPlugins(config, folder);
    addExecAuthenticator(config, { timeLimit: 300 });
    await expect(config.applyToHTTPSOptions({})).rejects.toThrow('did not end within 300 ms, and was killed');
    while (isRunning(Number(readFileSync(pid, 'utf8')))) {
      // Whoever takes care of orphans may take a moment; one that runs still would run for ten minutes.
      await setTimeout(5);
    }
  });

  /** A plugin whose runs last until the test ends them, with tokens that are valid for this many milliseconds. */
  function slowPlugin(lifetime: number) {
    const name = `plugin-${String(made++)}`;
    const path = join(folder, name);
    writeFileSync(
      path,
      `#!/bin/sh\necho run >> ${path}.runs\nwhile ! [ -e ${path}.go ]; do sleep 0.01; done\n. ${path}.go\n`,
    );
    chmodSync(path, 0o755);
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [],
      contexts: [{ name: 'here', cluster: '', user: 'me' }],
      currentContext: 'here',
      users: [{ name: 'me', exec: { apiVersion, command: path } }],
    });
    const state = { now: 0 };
    takeOverExecPlugins(config, folder);
    addExecAuthenticator(config, { now: () => state.now });
    const runs = (): number => readFileSync(`${path}.runs`, 'utf8').split('\n').length - 1;
    return {
      state,
      runs,
      token: async (): Promise<unknown> => {
        const options: RequestOptions = {};
        await config.applyToHTTPSOptions(options);
        return (options.headers as Record<string, string>)['Authorization'];
      },
      hold: () => rmSync(`${path}.go`),
      fail: () => writeFileSync(`${path}.go`, 'exit 1'),
      go: (token: string) => {
        const expirationTimestamp = new Date(state.now + lifetime).toISOString();
        writeFileSync(`${path}.new`, `${print({ token, expirationTimestamp })}\n`);
        renameSync(`${path}.new`, `${path}.go`);
      },
    };
  }

  test.each([
    { lifetime: 900_000, due: 840_000 },
    { lifetime: 40_000, due: 20_000 },
  ])(
    'token of $lifetime ms is about to expire, and the plugin takes long -> used until it has ended, or the token has expired',
    async ({ lifetime, due }) => {
      const { state, runs, token, hold, go } = slowPlugin(lifetime);
      go('first');
      expect(await token()).toBe('Bearer first');
      hold();
      state.now = due - 1;
      expect(await token()).toBe('Bearer first');
      expect(runs()).toBe(1);
      state.now = due;
      expect(await token()).toBe('Bearer first');
      state.now = lifetime - 1;
      expect(await token()).toBe('Bearer first');
      state.now = lifetime;
      const next = token();
      go('second');
      expect(await next).toBe('Bearer second');
      expect(runs()).toBe(2);
    },
  );

  test('token is about to expire, and the plugin fails -> used, and the plugin is run again, until it has expired', async () => {
    const { state, runs, token, go, fail } = slowPlugin(900_000);
    go('first');
    expect(await token()).toBe('Bearer first');
    state.now = 840_000;
    fail();
    while (runs() < 3) {
      expect(await token()).toBe('Bearer first');
      await setTimeout(1);
    }
    state.now = 900_000;
    await expect(token()).rejects.toThrow('ended with 1');
  });

  test('H4: it writes secrets and fails -> none of them is in the error', async () => {
    const { get } = plugin('echo hunter2; echo hunter2 >&2; exit 1', { args: ['--password=hunter2'] });
    const error: unknown = await get().catch((thrown: unknown) => thrown);
    const lines: string[] = [];
    pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }).error({ err: error }, 'Failed');
    expect(lines.join('')).toContain('ended with 1');
    expect(lines.join('')).not.toContain('hunter2');
  });
});

test.each([
  'users: [{ name: me, user: { token: hunter2 } }]\nbad: [',
  'users:\n- name: me\n  user:\n    token: "hunter2\n    other: 1',
  'token: hunter2\n\tuser: x',
])('H4: kubeconfig is no YAML -> its lines are in no error: %j', (text) => {
  const kubeconfig = join(folder, 'broken');
  writeFileSync(kubeconfig, text);
  let error: unknown;
  try {
    loadKubeConfig({ kubeconfig });
  } catch (thrown) {
    error = thrown;
  }
  const lines: string[] = [];
  pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }).error({ err: error }, 'Failed');
  expect(lines.join('')).toContain('it is not valid YAML at line');
  expect(lines.join('')).not.toContain('hunter2');
});

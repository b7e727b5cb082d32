import { describe, expect, test } from '@jest/globals';
import type { KubeConfig } from '@kubernetes/client-node';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { createCredentialSource } from '../../src/client/credentials.ts';
import { sleep } from '../../src/time/clock.ts';

/** A kubeconfig of which only the part that credentials are read by is there. */
function kubeConfig(apply: (options: RequestOptions) => void | Promise<void>): KubeConfig {
  return {
    applyToHTTPSOptions: async (options: RequestOptions) => apply(options),
    getCurrentUser: () => ({ password: 'open sesame' }),
    getCurrentCluster: () => ({ proxyUrl: 'http://me:swordfish%2F@proxy' }),
  } as unknown as KubeConfig;
}

const bearer = (token: string): KubeConfig =>
  kubeConfig((options) => {
    options.headers = { Authorization: `Bearer ${token}` };
  });

test('token file that is empty -> an error, and no request of nobody', async () => {
  const source = createCredentialSource(
    () =>
      ({
        applyToHTTPSOptions: () => Promise.resolve(),
        getCurrentUser: () => ({ authProvider: { config: { tokenFile: '/run/token' } } }),
        getCurrentCluster: () => null,
      }) as unknown as KubeConfig,
    createFakeClock(),
  );
  await expect(source.get()).rejects.toThrow('token file /run/token is empty');
});

test('got once -> fresh for ten seconds, then asked for again', async () => {
  const clock = createFakeClock();
  let token = 'first';
  const source = createCredentialSource(
    () =>
      kubeConfig((options) => {
        options.headers = { Authorization: `Bearer ${token}` };
      }),
    clock,
  );
  expect(source.fresh()).toBeUndefined();
  await source.get();
  token = 'rotated';
  await clock.advance(9_999);
  expect(source.fresh()?.headers).toEqual({ authorization: 'Bearer first' });
  await clock.advance(1);
  expect(source.fresh()).toBeUndefined();
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer rotated' });
});

test('Issue 17: asked for again after many rotations -> the secrets of the kubeconfig are still kept out of outputs', async () => {
  const clock = createFakeClock();
  let token = '';
  const source = createCredentialSource(
    () =>
      kubeConfig((options) => {
        options.headers = { Authorization: `Bearer ${token}` };
      }),
    clock,
  );
  for (let n = 0; n < 100; n++) {
    token = `rotated ${String(n)}`;
    await source.get();
  }
  expect(processSecrets.redact('open sesame swordfish%2F swordfish/ rotated 99 rotated 98 rotated 1')).toBe(
    '[redacted] [redacted] [redacted] [redacted] [redacted] rotated 1',
  );
});

test('several ask at once -> the authenticator is asked once', async () => {
  let asked = 0;
  const source = createCredentialSource(
    () =>
      kubeConfig(() => {
        asked += 1;
      }),
    createFakeClock(),
  );
  const [a, b] = await Promise.all([source.get(), source.get()]);
  expect(asked).toBe(1);
  expect(a).toBe(b);
});

test('authenticator fails -> thrown, and asked again after a second, and ever less often up to every 10 s', async () => {
  const clock = createFakeClock();
  const askedAt: number[] = [];
  const source = createCredentialSource(
    () =>
      kubeConfig(() => {
        askedAt.push(clock.now());
        throw new Error('exec plugin is not there');
      }),
    clock,
  );
  const start = clock.now();
  for (let time = 0; time < 80_000; time += 100) {
    await expect(source.get()).rejects.toThrow('exec plugin is not there');
    await expect(source.get()).rejects.toThrow('exec plugin is not there');
    await clock.advance(100);
  }
  expect(askedAt.map((at) => at - start)).toEqual([
    0, 1_000, 2_200, 3_700, 5_500, 7_600, 10_100, 13_100, 16_700, 21_000, 26_200, 32_400, 39_900, 48_900,
    58_900, 68_900, 78_900,
  ]);
});

test('authenticator fails after 1.5 s each time, a leader tries every 2 s until its lease is lost -> asked each time', async () => {
  const clock = createFakeClock();
  let asked = 0;
  const source = createCredentialSource(
    () =>
      kubeConfig(async () => {
        asked += 1;
        await sleep(clock, 1_500, new AbortController().signal);
        throw new Error('exec plugin failed');
      }),
    clock,
  );
  for (let tries = 1; tries <= 5; tries++) {
    const failed = expect(source.get()).rejects.toThrow('exec plugin failed');
    expect(asked).toBe(tries);
    await clock.advance(2_000);
    await failed;
  }
});

test('authenticator failed twice, and then once more after a success -> asked again after a second', async () => {
  const clock = createFakeClock();
  let works = false;
  let asked = 0;
  const source = createCredentialSource(
    () =>
      kubeConfig(() => {
        asked += 1;
        if (!works) {
          throw new Error('exec plugin is not there');
        }
      }),
    clock,
  );
  await expect(source.get()).rejects.toThrow('exec plugin is not there');
  await clock.advance(1_000);
  await expect(source.get()).rejects.toThrow('exec plugin is not there');
  await clock.advance(2_000);
  works = true;
  expect(await source.get()).toEqual({ headers: {}, tls: {} });
  works = false;
  await source.get();
  await clock.advance(999);
  await source.get();
  expect(asked).toBe(4);
  await clock.advance(1);
  await source.get();
  expect(asked).toBe(5);
});

test('authenticator fails, and another kubeconfig is there -> its credentials', async () => {
  const clock = createFakeClock();
  const broken = kubeConfig(() => {
    throw new Error('exec plugin is not there');
  });
  const configs = [broken];
  const source = createCredentialSource(() => configs.shift() ?? bearer('of the other'), clock);
  await expect(source.get()).rejects.toThrow('exec plugin is not there');
  await clock.advance(1_000);
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer of the other' });
});

test('authenticator fails, and the kubeconfig is gone -> the one that was read is used until there is another', async () => {
  const clock = createFakeClock();
  let works = false;
  const configs = [
    kubeConfig((options) => {
      if (!works) {
        throw new Error('exec plugin failed');
      }
      options.headers = { Authorization: 'Bearer old' };
    }),
  ];
  const source = createCredentialSource(() => {
    const config = configs.shift();
    if (config === undefined) {
      throw new Error('there is no such file');
    }
    return config;
  }, clock);
  await expect(source.get()).rejects.toThrow('exec plugin failed');
  await clock.advance(1_000);
  await expect(source.get()).rejects.toThrow('exec plugin failed');
  await clock.advance(2_000);
  works = true;
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer old' });
});

test('H2: authenticator hangs -> given up after 30 s, and asked again a second later', async () => {
  const clock = createFakeClock();
  let asked = 0;
  const source = createCredentialSource(
    () =>
      kubeConfig((options) => {
        asked += 1;
        options.headers = { Authorization: 'Bearer late' };
        return asked === 1 ? new Promise<void>(() => undefined) : undefined;
      }),
    clock,
  );
  const hung = source.get().catch((error: unknown) => String(error));
  await clock.advance(29_999);
  expect(asked).toBe(1);
  await clock.advance(1);
  expect(await hung).toContain('no credentials came within 30000 ms');
  await clock.advance(1_000);
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer late' });
  expect(clock.pending).toBe(0);
});

test('renewed -> the next come from a kubeconfig read anew', async () => {
  const configs = [bearer('old'), bearer('new')];
  const source = createCredentialSource(() => configs.shift() ?? bearer('newer'), createFakeClock());
  source.renew(await source.get());
  expect(source.fresh()).toBeUndefined();
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer new' });
});

test('renewed while the old ones are being got again -> those are not kept', async () => {
  const clock = createFakeClock();
  const waiting = Promise.withResolvers<undefined>();
  let asked = 0;
  const slow = kubeConfig(async (options) => {
    asked += 1;
    if (asked > 1) {
      await waiting.promise;
    }
    options.headers = { Authorization: 'Bearer old' };
  });
  const configs = [slow, bearer('new')];
  const source = createCredentialSource(() => configs.shift() ?? bearer('newer'), clock);
  const refused = await source.get();
  await clock.advance(10_000);
  const old = source.get();
  source.renew(refused);
  const fresh = source.get();
  waiting.resolve(undefined);
  await old;
  expect((await fresh).headers).toEqual({ authorization: 'Bearer new' });
  expect(source.fresh()?.headers).toEqual({ authorization: 'Bearer new' });
});

test('X3: token rotated under thirty requests, all are refused -> the kubeconfig is read anew and the authenticator asked once', async () => {
  let asked = 0;
  const rotated = kubeConfig((options) => {
    asked += 1;
    options.headers = { Authorization: 'Bearer new' };
  });
  const configs = [bearer('old')];
  const source = createCredentialSource(() => configs.shift() ?? rotated, createFakeClock());
  const refused = await source.get();
  for (let n = 0; n < 15; n++) {
    source.renew(refused);
    void source.get();
  }
  await source.get();
  // These were answered later.
  for (let n = 0; n < 15; n++) {
    source.renew(refused);
    expect(source.fresh()?.headers).toEqual({ authorization: 'Bearer new' });
  }
  expect(asked).toBe(1);
});

test('X3: refused, and got again from the same authenticator since -> renewed: they are no others', async () => {
  const clock = createFakeClock();
  const configs = [bearer('old'), bearer('new')];
  const source = createCredentialSource(() => configs.shift() ?? bearer('newer'), clock);
  const refused = await source.get();
  await clock.advance(10_000);
  await source.get();
  source.renew(refused);
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer new' });
});

test('user and password, certificates -> header and TLS options', async () => {
  const source = createCredentialSource(
    () =>
      kubeConfig((options) => {
        options.auth = 'admin:s3cret';
        Object.assign(options, {
          ca: 'CA',
          cert: 'CERT',
          key: 'KEY',
          rejectUnauthorized: false,
          servername: 'api',
        });
      }),
    createFakeClock(),
  );
  expect(await source.get()).toEqual({
    headers: { authorization: `Basic ${Buffer.from('admin:s3cret').toString('base64')}` },
    tls: { ca: 'CA', cert: 'CERT', key: 'KEY', rejectUnauthorized: false, servername: 'api' },
  });
});

test('token file that ends with a newline -> the header is without it', async () => {
  const source = createCredentialSource(() => bearer('from-file\n'), createFakeClock());
  expect((await source.get()).headers).toEqual({ authorization: 'Bearer from-file' });
});

const certificate = readFileSync(new URL('../fixtures/loopback.crt', import.meta.url), 'utf8');
const key = readFileSync(new URL('../fixtures/loopback.key', import.meta.url), 'utf8');
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});

describe('authenticator fails that has given credentials before', () => {
  /** An authenticator that works, or fails, as the test says. */
  function start(expires?: number) {
    const clock = createFakeClock();
    const state = { token: 'first', works: true, asked: 0 };
    const kept: unknown[] = [];
    const source = createCredentialSource(
      () =>
        kubeConfig((options) => {
          state.asked += 1;
          if (!state.works) {
            throw new Error('ENOENT: no such file');
          }
          options.headers = { Authorization: `Bearer ${state.token}` };
          Object.assign(options, expires === undefined ? {} : { expires });
        }),
      clock,
      { now: () => 1_000, onKept: (error) => kept.push(error) },
    );
    const tokenOf = async (): Promise<unknown> => (await source.get()).headers['authorization'];
    return { clock, state, kept, source, tokenOf };
  }

  test('-> those at hand are used, it is asked ever less often, and one line says so', async () => {
    const { clock, state, kept, tokenOf } = start();
    await tokenOf();
    await clock.advance(10_000);
    state.works = false;
    for (let time = 0; time < 10_000; time += 100) {
      expect(await tokenOf()).toBe('Bearer first');
      await clock.advance(100);
    }
    expect(state.asked).toBe(1 + 6);
    expect(kept.map(String)).toEqual(['Error: ENOENT: no such file']);
    state.works = true;
    state.token = 'second';
    await clock.advance(10_000);
    expect(await tokenOf()).toBe('Bearer second');
    state.works = false;
    await clock.advance(10_000);
    expect(await tokenOf()).toBe('Bearer second');
    expect(kept).toHaveLength(2);
  });

  test('API server has refused them once -> they are used again, for it might accept them', async () => {
    const { state, source, tokenOf } = start();
    const refused = await source.get();
    state.works = false;
    source.renew(refused);
    expect(await tokenOf()).toBe('Bearer first');
  });

  test('they have expired -> its error', async () => {
    const { clock, state, kept, source } = start(1_000);
    await source.get();
    await clock.advance(10_000);
    state.works = false;
    await expect(source.get()).rejects.toThrow('ENOENT: no such file');
    await expect(source.get()).rejects.toThrow('ENOENT: no such file');
    expect(kept).toStrictEqual([]);
  });

  test('they expire later -> used', async () => {
    const { clock, state, tokenOf } = start(1_001);
    await tokenOf();
    await clock.advance(10_000);
    state.works = false;
    expect(await tokenOf()).toBe('Bearer first');
  });

  test.each([
    ['a certificate and the key of another', { cert: certificate, key: otherKey }],
    ['a certificate that is cut off', { cert: certificate.slice(0, 200), key }],
    ['an empty certificate authority', { ca: Buffer.alloc(0) }],
  ])(
    'files that are being replaced: %s -> those at hand are used until these are whole',
    async (_what, tls) => {
      const clock = createFakeClock();
      let files: object = { cert: certificate, key };
      const source = createCredentialSource(
        () => kubeConfig((options) => void Object.assign(options, files)),
        clock,
      );
      await source.get();
      await clock.advance(10_000);
      files = tls;
      expect((await source.get()).tls).toEqual({ cert: certificate, key });
      await clock.advance(1_000);
      files = { ca: certificate };
      expect((await source.get()).tls).toEqual({ ca: certificate });
    },
  );

  test('it hangs -> those at hand after 2 s, and at once until it has answered', async () => {
    const clock = createFakeClock();
    const late = Promise.withResolvers<undefined>();
    let asked = 0;
    const source = createCredentialSource(
      () =>
        kubeConfig(async (options) => {
          asked += 1;
          const token = String(asked);
          if (asked > 1) {
            await late.promise;
          }
          options.headers = { Authorization: `Bearer ${token}` };
        }),
      clock,
    );
    source.renew(await source.get());
    let isAnswered = false;
    const answer = source.get().finally(() => (isAnswered = true));
    await clock.advance(1_999);
    expect(isAnswered).toBe(false);
    await clock.advance(1);
    expect((await answer).headers).toEqual({ authorization: 'Bearer 1' });
    // The API server refuses them again: the one that was asked is still to answer.
    source.renew(await answer);
    expect((await source.get()).headers).toEqual({ authorization: 'Bearer 1' });
    late.resolve(undefined);
    await clock.advance(0);
    expect(source.fresh()?.headers).toEqual({ authorization: 'Bearer 2' });
    expect(asked).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test('a file that the kubeconfig names is away at a 401 -> said once, the authenticator at hand is asked, and the kubeconfig read again with the next 401', async () => {
    const clock = createFakeClock();
    let loads = 0;
    let asked = 0;
    const kept: unknown[] = [];
    const source = createCredentialSource(
      () => {
        loads += 1;
        if ([2, 3, 5].includes(loads)) {
          throw new Error(`ca.crt is away at load ${String(loads)}`);
        }
        return kubeConfig((options) => {
          asked += 1;
          options.headers = { Authorization: `Bearer ${String(asked)}` };
          return Promise.resolve();
        });
      },
      clock,
      { onKept: (error) => kept.push(error) },
    );
    for (let refused = 0; refused < 4; refused++) {
      source.renew(await source.get());
    }
    expect((await source.get()).headers).toEqual({ authorization: 'Bearer 5' });
    expect(loads).toBe(5);
    expect(kept).toEqual([new Error('ca.crt is away at load 2'), new Error('ca.crt is away at load 5')]);
  });

  test('it hangs, and they have expired -> its answer, however late', async () => {
    const clock = createFakeClock();
    const late = Promise.withResolvers<undefined>();
    let asked = 0;
    const source = createCredentialSource(
      () =>
        kubeConfig(async (options) => {
          asked += 1;
          if (asked > 1) {
            await late.promise;
          }
          options.headers = { Authorization: `Bearer ${String(asked)}` };
          Object.assign(options, { expires: asked * 1_000 });
        }),
      clock,
      { now: () => 1_000 },
    );
    await source.get();
    const answer = source.get();
    await clock.advance(20_000);
    late.resolve(undefined);
    expect((await answer).headers).toEqual({ authorization: 'Bearer 2' });
  });
});

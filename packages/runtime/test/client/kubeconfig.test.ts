import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { connect } from '../../src/client/connect.ts';
import { KubeConfigError } from '../../src/client/kubeconfig-error.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import { claim } from '../claim.ts';
import { answerJson, answerStatus, startLocalServer } from './local-server.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-kubeconfig-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  delete process.env['KUBECONFIG'];
});

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Cluster {
  readonly name?: string;
  readonly server?: string;
  readonly current?: string;
  readonly user?: string;
}

function kubeconfig({
  name = 'one',
  server = 'https://10.0.0.1:6443',
  current = name,
  user = 'token: t',
}: Cluster = {}): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: "${current}"`,
    `clusters: [{ name: ${name}, cluster: { server: "${server}" } }]`,
    `users: [{ name: ${name}, user: { ${user} } }]`,
    `contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name} } }]`,
  ].join('\n');
}

const serverOf = (options: Parameters<typeof loadKubeConfig>[0]): string | undefined =>
  loadKubeConfig(options).getCurrentCluster()?.server;

describe('which file and context', () => {
  test('named -> its current context', () => {
    expect(serverOf({ kubeconfig: write('a', kubeconfig()) })).toBe('https://10.0.0.1:6443');
  });

  test('context named -> that one', () => {
    const path = write('two', kubeconfig({ current: 'nothing' }));
    expect(serverOf({ kubeconfig: path, context: 'one' })).toBe('https://10.0.0.1:6443');
  });

  test('user with a token file beside the kubeconfig -> its token is sent', async () => {
    write('token', 'from-the-file\n');
    const config = loadKubeConfig({
      kubeconfig: write('with-token-file', kubeconfig({ user: 'tokenFile: token' })),
    });
    const options: { headers?: Record<string, string> } = {};
    await config.applyToHTTPSOptions(options);
    expect(options.headers?.['Authorization']?.trim()).toBe('Bearer from-the-file');
  });

  test('named, and KUBECONFIG set -> the named one', () => {
    process.env['KUBECONFIG'] = write('env', kubeconfig({ server: 'https://env' }));
    expect(serverOf({ kubeconfig: write('named', kubeconfig({ server: 'https://named' })) })).toBe(
      'https://named',
    );
    expect(serverOf({})).toBe('https://env');
  });

  test('nothing named -> that of KUBECONFIG', () => {
    process.env['KUBECONFIG'] = write('env', kubeconfig({ server: 'https://env' }));
    expect(loadKubeConfig().getCurrentCluster()?.server).toBe('https://env');
  });

  test('KUBECONFIG lists files -> all contexts, and the current one of the first that names one', () => {
    const first = write('first', kubeconfig({ name: 'one', server: 'https://one' }));
    const second = write('second', kubeconfig({ name: 'two', server: 'https://two' }));
    process.env['KUBECONFIG'] = `${first}::${second}`;
    expect(serverOf({})).toBe('https://one');
    expect(serverOf({ context: 'two' })).toBe('https://two');
  });

  test('KUBECONFIG lists files, the first names no current context -> that of the second', () => {
    const first = write('first', kubeconfig({ name: 'one', server: 'https://one', current: '' }));
    const second = write('second', kubeconfig({ name: 'two', server: 'https://two' }));
    process.env['KUBECONFIG'] = `${first}:${second}`;
    expect(serverOf({})).toBe('https://two');
  });

  test('KUBECONFIG lists a file that is not there -> passed over, as kubectl does', () => {
    process.env['KUBECONFIG'] = `${join(folder, 'nowhere')}:${write('a', kubeconfig())}`;
    expect(serverOf({})).toBe('https://10.0.0.1:6443');
  });

  test('two files name the same -> the first counts, as kubectl has it', () => {
    const first = write('first', kubeconfig({ server: 'https://first' }));
    const second = write('second', kubeconfig({ server: 'https://second' }));
    process.env['KUBECONFIG'] = `${first}:${second}`;
    expect(serverOf({})).toBe('https://first');
  });
});

describe('what can not be used -> names it, and the way out', () => {
  test.each([
    { state: 'not there', content: undefined, message: /kubeconfig .*\/wrong can't be used: .*ENOENT/ },
    { state: 'broken YAML', content: 'clusters: [', message: /kubeconfig .*\/wrong can't be used: / },
    {
      state: 'empty',
      content: '',
      message: /kubeconfig .*\/wrong can't be used: it has no contexts; name another file$/,
    },
    {
      state: 'no kubeconfig',
      content: 'hello: world',
      message: /kubeconfig .*\/wrong can't be used: it has no contexts; name another file$/,
    },
    {
      state: 'text instead of fields',
      content: 'hello',
      message: /kubeconfig .*\/wrong can't be used: it is not a mapping with the fields of a kubeconfig$/,
    },
    {
      state: 'field of another type',
      content: 'clusters: {}',
      message: /kubeconfig .*\/wrong can't be used: clusters is not of the type that a kubeconfig has there$/,
    },
    {
      state: 'no current context',
      content: kubeconfig({ current: '' }),
      message: /it has no current-context; set it to one of one, or give --context/,
    },
    {
      state: 'current context not there',
      content: kubeconfig({ current: 'gone' }),
      message: /current-context is "gone", which is not in it; set it to one of one, or give --context/,
    },
    {
      state: 'cluster of the context not there',
      content: kubeconfig({ current: 'lost' }).replace(
        'contexts: [',
        'contexts: [{ name: lost, context: { cluster: gone, user: one } }, ',
      ),
      message: /context "lost" names cluster "gone", which is not in it; add it, or choose another context/,
    },
    {
      state: 'user of the context not there, who would otherwise be anonymous',
      content: kubeconfig({ current: 'lost' }).replace(
        'contexts: [',
        'contexts: [{ name: lost, context: { cluster: one, user: gone } }, ',
      ),
      message: /context "lost" names user "gone", which is not in it; add it, or choose another context/,
    },
    ...[
      { field: 'tokenFile', user: 'tokenFile: gone' },
      { field: 'client-certificate', user: 'client-certificate: gone, client-key-data: a2V5' },
      { field: 'client-key', user: 'client-certificate-data: Y2VydA==, client-key: gone' },
    ].map(({ field, user }) => ({
      state: `${field} not there`,
      content: kubeconfig({ user }),
      message: new RegExp(`: ${field} .*/gone can't be used: ENOENT`),
    })),
    {
      state: 'certificate-authority not there',
      content: kubeconfig({ server: 'https://x", certificate-authority: "gone' }),
      message: /: certificate-authority .*\/gone can't be used: ENOENT/,
    },
    {
      state: 'server no URL',
      content: kubeconfig({ server: '10.0.0.1:6443' }),
      message: /"10\.0\.0\.1:6443" is not an http or https URL/,
    },
    {
      state: 'server of another protocol',
      content: kubeconfig({ server: 'ftp://x' }),
      message: /"ftp:\/\/x" is not an http/,
    },
  ])('$state', ({ content, message }) => {
    const path = content === undefined ? join(folder, 'nowhere', 'wrong') : write('wrong', content);
    expect(() => loadKubeConfig({ kubeconfig: path })).toThrow(KubeConfigError);
    expect(() => loadKubeConfig({ kubeconfig: path })).toThrow(message);
  });

  test('context not there -> shows those that are', () => {
    const path = write('a', kubeconfig());
    expect(() => loadKubeConfig({ kubeconfig: path, context: 'prod' })).toThrow(KubeConfigError);
    expect(() => loadKubeConfig({ kubeconfig: path, context: 'prod' })).toThrow(
      /no context "prod"; it has one$/,
    );
  });

  test('file of KUBECONFIG not there -> names it', () => {
    process.env['KUBECONFIG'] = join(folder, 'nowhere');
    expect(() => loadKubeConfig({})).toThrow(KubeConfigError);
    expect(() => loadKubeConfig({})).toThrow(/nowhere/);
  });
});

describe('Issue 17: secrets -> not in what is said of a kubeconfig that can not be used', () => {
  const messageOf = (options: Parameters<typeof loadKubeConfig>[0]): string => {
    try {
      loadKubeConfig(options);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };

  test.each<{ state: string; content: string; message: RegExp }>([
    {
      state: 'password in the URL of a server of another protocol',
      content: kubeconfig({ server: 'ftp://me:pass/w@rd@host' }),
      message: /server "ftp:\/\/\[redacted\]@host" is not/,
    },
    {
      state: 'password in the URL of a server that is none',
      content: kubeconfig({ server: 'https://me:swordfish@host:port' }),
      message: /server "https:\/\/\[redacted\]@host:port" is not/,
    },
    {
      state: 'password in the URL of a proxy of another protocol',
      content: kubeconfig({ server: 'https://x", proxy-url: "socks5://me:swordfish@host' }),
      message: /proxy-url "socks5:\/\/\[redacted\]@host" is not/,
    },
    {
      state: 'command of a provider that kubectl does not know any more, with a token among its arguments',
      content: kubeconfig({
        user: 'auth-provider: { name: gcp, config: { cmd-path: /bin/false, cmd-args: swordfish } }',
      }),
      message: /the command of auth-provider gcp is not run.*gke-gcloud-auth-plugin/,
    },
  ])('$state', ({ content, message }) => {
    const text = messageOf({ kubeconfig: write('wrong', content) });
    expect(text).toMatch(message);
    expect(text).not.toMatch(/swordfish|pass\/w|rd@/);
  });

  test('the text of a kubeconfig where its path belongs', () => {
    process.env['KUBECONFIG'] = kubeconfig({ user: 'token: swordfish' });
    expect(messageOf({})).toBe(
      'KUBECONFIG has several lines; it takes the path of a file, not what is in it',
    );
    expect(messageOf({ kubeconfig: process.env['KUBECONFIG'] })).toMatch(/^--kubeconfig has several lines; /);
  });
});

describe('H9: server of plain http', () => {
  const http = 'http://127.0.0.1:8001';
  const plainly = (user: string, server = http): string => write('plain', kubeconfig({ server, user }));
  beforeAll(() => {
    for (const file of ['token', 'tls.crt', 'tls.key']) {
      write(file, '');
    }
  });

  test.each([
    { what: 'token', user: 'token: swordfish' },
    { what: 'token file', user: 'tokenFile: token' },
    { what: 'password', user: 'username: me, password: swordfish' },
    {
      what: 'client certificate',
      user: 'client-certificate-data: c3dvcmRmaXNo, client-key-data: c3dvcmRmaXNo',
    },
    { what: 'certificate file', user: 'client-certificate: tls.crt, client-key: tls.key' },
    {
      what: 'exec plugin',
      user: 'exec: { apiVersion: client.authentication.k8s.io/v1, command: swordfish }',
    },
    { what: 'auth provider', user: 'auth-provider: { name: oidc, config: { id-token: swordfish } }' },
  ])('user with $what -> refused in one line with the way out; allowed by name', ({ user }) => {
    const kubeconfig = plainly(user);
    const refusal =
      /^kubeconfig [^\n]*: server "http:[^\n]* plain http[^\n]* user "one" [^\n]*--insecure-http$/;
    expect(() => loadKubeConfig({ kubeconfig })).toThrow(KubeConfigError);
    expect(() => loadKubeConfig({ kubeconfig })).toThrow(refusal);
    expect(() => loadKubeConfig({ kubeconfig })).not.toThrow(/swordfish/);
    expect(serverOf({ kubeconfig, insecureHttp: true })).toBe(http);
  });

  test('scheme in capitals -> refused too', () => {
    const kubeconfig = plainly('token: secret', 'HTTP://127.0.0.1:8001');
    expect(() => loadKubeConfig({ kubeconfig })).toThrow(/--insecure-http/);
  });

  test('user without credentials, as for kubectl proxy -> used', async () => {
    const options = { headers: {} };
    const config = loadKubeConfig({ kubeconfig: plainly('') });
    await config.applyToHTTPSOptions(options);
    expect(options.headers).toEqual({});
  });

  test('credentials of another user -> used', () => {
    const text = kubeconfig({ server: http, user: '' }).replace(
      'users: [',
      'users: [{ name: other, user: { token: secret } }, ',
    );
    expect(serverOf({ kubeconfig: write('plain', text) })).toBe(http);
  });
});

describe('H9: redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    '%d to another server -> not followed, and its server hears nothing, least of all the token',
    async (code) => {
      const other = await startLocalServer((response) => answerJson(response, 200, claim('data', 7)));
      const server = await startLocalServer((response, { url }) =>
        response.writeHead(code, { location: `${other.origin}${url}` }).end(),
      );
      const client = connect({
        kubeConfig: () =>
          loadKubeConfig({
            kubeconfig: write('redirected', kubeconfig({ server: server.origin })),
            insecureHttp: true,
          }),
        registry: new Registry(),
        program: 'test',
        version: '1',
      });
      const stop = new AbortController();
      try {
        const ref = { namespace: 'shop', name: 'data' };
        await expect(client.get(persistentVolumeClaims, ref)).rejects.toMatchObject({ code });
        await expect(client.patch(persistentVolumeClaims, ref, [])).rejects.toMatchObject({ code });
        const watching = { timeoutSeconds: 1, silenceLimit: 5_000, signal: stop.signal };
        await expect(client.watch(persistentVolumeClaims, watching, () => undefined)).rejects.toMatchObject({
          code,
        });
        expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
          Array.from({ length: 3 }, () => 'Bearer t'),
        );
        expect(other.requests).toStrictEqual([]);
      } finally {
        await client.close();
        await server.close();
        await other.close();
      }
    },
  );
});

describe('auth-provider oidc', () => {
  const encode = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');
  const idToken = (expires: number): string =>
    `${encode({ alg: 'RS256' })}.${encode({ exp: expires / 1000 })}.swordfish`;
  const withToken = (token: string): string =>
    write(
      'oidc',
      kubeconfig({
        user: `auth-provider: { name: oidc, config: { id-token: "${token}", refresh-token: swordfish, client-id: me, idp-issuer-url: "https://127.0.0.1:1" } }`,
      }),
    );
  const hour = 3_600_000;

  test.each([
    { what: 'good for an hour', token: idToken(Date.now() + hour) },
    { what: 'of unknown expiry', token: 'sword.fish.swordfish' },
    { what: 'no JWT', token: 'swordfish' },
  ])('id token $what -> sent as it is', async ({ token }) => {
    const options = { headers: {} };
    await loadKubeConfig({ kubeconfig: withToken(token) }).applyToHTTPSOptions(options);
    expect(options.headers).toEqual({ Authorization: `Bearer ${token}` });
  });

  test.each([
    {
      what: 'expired',
      token: idToken(Date.UTC(2024, 0, 2)),
      problem: 'has an id-token that has expired at 2024-01-02T00:00:00.000Z, and is not renewed here',
    },
    { what: 'missing', token: '', problem: 'has no id-token' },
  ])('id token $what -> refused in one line with the way out', ({ token, problem }) => {
    const path = withToken(token);
    expect(() => loadKubeConfig({ kubeconfig: path })).toThrow(
      new KubeConfigError(
        `kubeconfig ${path}: user "one" with auth-provider oidc ${problem}; have it renewed by kubectl, or use an exec plugin such as kubelogin`,
      ),
    );
  });
});

describe('connect', () => {
  test('plain http, path below the server, token rotated -> the new token is taken after a 401', async () => {
    const server = await startLocalServer((response, { headers }) =>
      headers.authorization === 'Bearer 2nd'
        ? answerJson(response, 200, claim('data', 7))
        : answerStatus(response, 401, 'Unauthorized'),
    );
    const config = (token: string): string =>
      kubeconfig({ server: `${server.origin}/base/`, user: `token: ${token}` });
    const path = write('rotated', config('1st'));
    const client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig: path, insecureHttp: true }),
      registry: new Registry(),
      program: 'test',
      version: '1.2.3',
    });
    try {
      write('rotated', config('2nd'));
      const found = await client.get(persistentVolumeClaims, { namespace: 'shop', name: 'data' });
      expect(found.metadata.name).toBe('data');
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer 1st',
        'Bearer 2nd',
      ]);
      expect(server.requests[0]?.url).toBe('/base/api/v1/namespaces/shop/persistentvolumeclaims/data');
      expect(server.requests[0]?.headers['user-agent']).toMatch(/^test\/1\.2\.3 \(\w+\/\w+\)/);
    } finally {
      await client.close();
      await server.close();
    }
  });
});

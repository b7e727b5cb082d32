import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { findRunner, ownArchitecture, start, unpack, type UnpackedImage } from './unpacked-image.ts';

/*
 * Builds the images and runs them. It needs no control plane but the embedded one; it is among these tests since it
 * gets packages from npm and Debian, and takes longer than others.
 */

const root = join(import.meta.dirname, '../../..');
const apps = ['pv-reclaim-honor', 'pvc-protection', 'retroactive-default-sc', 'statefulset-pvc-retention'];
/** In milliseconds. An emulated processor is slow, and more so on a busy machine. */
const longest = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-images-'));

function build(
  output: string,
  names: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const main = join(root, 'tools/images/src/main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...names, `--output=${output}`], {
    encoding: 'utf8',
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
  });
  return { status, stderr, digests: [...stdout.matchAll(/sha256:[0-9a-f]{64}/g)].map(([digest]) => digest) };
}

const built = build(join(folder, 'first'), []);
const isUnavailable = built.status === 3 && process.env['HOLDFAST_REQUIRE_REAL'] !== 'true';
if (isUnavailable) {
  process.stderr.write(`\n!! NO IMAGE WAS BUILT OR TESTED\n!! ${built.stderr}\n`);
}
const suite = isUnavailable ? describe.skip : describe;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

suite('images', () => {
  const unpacked = new Map<string, UnpackedImage>();
  const imageOf = (app: string, architecture: string = ownArchitecture): UnpackedImage => {
    const name = `${app}-${architecture}`;
    const image = unpacked.get(name) ?? unpack(join(folder, 'first', app), architecture, join(folder, name));
    unpacked.set(name, image);
    return image;
  };

  test('no app named -> each is built', () => {
    expect(built).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(join(folder, 'first')).toSorted()).toEqual(apps);
  });

  test('built again, elsewhere, in another time zone, language and mask -> the same digest', () => {
    const before = process.umask(0o077);
    try {
      const env = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
      const again = build(join(folder, 'second'), ['pvc-protection'], { cwd: tmpdir(), env });
      expect(again).toEqual({
        status: 0,
        stderr: '',
        digests: [built.digests[apps.indexOf('pvc-protection')]],
      });
    } finally {
      process.umask(before);
    }
  }, 120_000);

  test.each(['amd64', 'arm64'])(
    '%s -> each program and library in it is for that processor',
    (architecture) => {
      const { root: files } = imageOf('pvc-protection', architecture);
      const machines = globSync('**/*', { cwd: files })
        .filter((path) => lstatSync(join(files, path)).isFile())
        .map((path) => [path, readFileSync(join(files, path)).subarray(0, 20)] as const)
        .filter(([, header]) => header.toString('latin1', 0, 4) === '\x7fELF')
        .map(([path, header]) => [path, header.readUInt16LE(18)] as const);
      expect(machines.map(([path]) => path)).toContain('usr/local/bin/node');
      expect(new Set(machines.map(([, machine]) => machine))).toEqual(
        new Set([architecture === 'amd64' ? 62 : 183]),
      );
    },
  );

  test.each(apps)(
    '%s -> no program but Node, nothing with the rights of its owner, nothing that is writable but /tmp',
    (app) => {
      const { root: files } = imageOf(app);
      const find = (...conditions: readonly string[]): readonly string[] =>
        execFileSync(
          'find',
          ['.', '-path', './proc', '-prune', '-o', '-path', './dev', '-prune', '-o', ...conditions, '-print'],
          {
            cwd: files,
            encoding: 'utf8',
          },
        )
          .split('\n')
          .filter((path) => path !== '');
      expect(find('-path', '*bin/*', '-type', 'f')).toEqual(['./usr/local/bin/node']);
      expect(find('-perm', '/6000')).toStrictEqual([]);
      expect(find('-perm', '/022', '-not', '-type', 'l')).toEqual(['./tmp']);
    },
  );

  test.each(apps)('%s -> the manifests start it as it would start by itself', (app) => {
    const { config } = imageOf(app);
    const [manifest = ''] = globSync(`deploy/${app}/{,base/,sidecar/}deployment.yaml`, { cwd: root });
    const deployment = readFileSync(join(root, manifest), 'utf8');
    expect(deployment).toContain(`command: [${config.Entrypoint.join(', ')}]`);
    expect(deployment).toContain(
      `image: holdfast/${app}:${config.Labels['org.opencontainers.image.version'] ?? ''}\n`,
    );
    expect(deployment).toContain(`runAsUser: ${config.User.split(':')[0] ?? ''}\n`);
    expect(deployment).toContain(`runAsGroup: ${config.User.split(':')[1] ?? ''}\n`);
  });

  test.each(apps)(
    '%s -> its bill of materials names the packages of which its bundle has files, and has their licenses',
    (app) => {
      const doc = join(imageOf(app).root, 'usr/share/doc', app);
      const { components } = JSON.parse(readFileSync(join(doc, 'sbom.cdx.json'), 'utf8')) as {
        readonly components: readonly {
          readonly group?: string;
          readonly name: string;
          readonly version: string;
          readonly purl: string;
        }[];
      };
      const nameOf = ({ group, name }: { group?: string; name: string }): string =>
        group === undefined ? name : `${group}/${name}`;
      const files = JSON.parse(
        readFileSync(join(root, 'apps', app, 'dist/main.js.files.json'), 'utf8'),
      ) as readonly string[];
      const installed = files.flatMap(
        (file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
      );
      const listed = components.filter(({ purl }) => purl.startsWith('pkg:npm/')).map(nameOf);
      expect(new Set(listed)).toEqual(new Set([...installed, '@holdfast/core', '@holdfast/runtime', 'node']));

      const licenses = readFileSync(join(doc, 'third-party-licenses.txt'), 'utf8');
      const bundled = components.filter(({ name, purl }) => purl.startsWith('pkg:npm/') && name !== 'node');
      expect(
        bundled.filter((each) => !licenses.includes(`\n${nameOf(each)} ${each.version} (`)),
      ).toStrictEqual([]);
    },
  );

  for (const architecture of ['amd64', 'arm64']) {
    const runner = findRunner(architecture);
    if (!runner.found) {
      process.stderr.write(`\n!! NO IMAGE FOR ${architecture} WAS RUN: ${runner.reason}\n`);
    }
    const run = (image: UnpackedImage, args: readonly string[]): ReturnType<typeof start> =>
      start(image, args, runner.found ? runner.emulator : undefined);

    (runner.found ? describe : describe.skip)(architecture, () => {
      test(
        'any program in an image -> runs as 65532, and can write nowhere',
        async () => {
          const image = imageOf('pvc-protection', architecture);
          const script = `
          const write = (path) => { try { fs.writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; } };
          console.log(process.getuid(), process.getgid(), ...['/tmp/x', '/app/x', '/app/main.js'].map(write));`;
          const config = { ...image.config, Entrypoint: ['node', '-e', script] };
          expect(await ended(run({ ...image, config }, []))).toEqual({
            code: 0,
            stdout: '65532 65532 EROFS EROFS EROFS\n',
            stderr: '',
          });
        },
        longest,
      );

      test.each(apps)(
        '%s, its own user, a file system that is read only -> --version says its version',
        async (app) => {
          const { code, stdout, stderr } = await ended(run(imageOf(app, architecture), ['--version']));
          expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${app} 0.1.0\n`, stderr: '' });
        },
        longest,
      );

      test(
        'retroactive-default-sc against an API server -> a claim gets its class; SIGTERM -> it ends with 0',
        async () => {
          const image = imageOf('retroactive-default-sc', architecture);
          writeFileSync(join(image.root, 'tmp/kubeconfig'), plane.kubeconfig, { mode: 0o644 });
          const child = run(image, [
            '--kubeconfig=/tmp/kubeconfig',
            '--metrics-bind-address=0',
            '--health-probe-bind-address=0',
          ]);
          const outcome = ended(child);
          const claims = `/api/v1/namespaces/${architecture}/persistentvolumeclaims`;
          await send('POST', '/api/v1/namespaces', { metadata: { name: architecture } });
          await send('POST', claims, {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          });
          const hasClass = async (): Promise<boolean> => {
            const { spec } = (await send('GET', `${claims}/data`)) as {
              spec?: { storageClassName?: string };
            };
            return spec?.storageClassName === 'gold';
          };
          try {
            await eventually('the claim has its class', hasClass, longest);
          } finally {
            child.kill('SIGTERM');
          }
          expect(await outcome).toMatchObject({ code: 0 });
        },
        longest,
      );
    });
  }

  let plane: EmbeddedControlPlane;
  beforeAll(async () => {
    // Or the claim would get its class when it is created.
    plane = await startEmbeddedControlPlane({ disableAdmissionPlugins: ['DefaultStorageClass'] });
    await send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'gold', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/disk',
    });
  });
  afterAll(() => plane.stop());

  async function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const { clusters, users } = JSON.parse(plane.kubeconfig) as {
      readonly clusters: readonly { readonly cluster: { readonly 'certificate-authority-data': string } }[];
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    const sent = request(`${plane.url}${path}`, {
      method,
      ca: Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64'),
      headers: { authorization: `Bearer ${users[0]?.user.token ?? ''}`, 'content-type': 'application/json' },
    }).end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    if ((response.statusCode ?? 500) >= 400) {
      throw new Error(`${method} ${path}: ${answer}`);
    }
    return JSON.parse(answer);
  }
});

async function ended(
  child: ReturnType<typeof start>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

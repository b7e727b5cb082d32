import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLayoutWriter, type Image } from '../src/oci-layout.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-layout-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const imagesOf = (app: string): readonly Image[] =>
  (['amd64', 'arm64'] as const).map((architecture) => ({
    architecture,
    layers: [
      { archive: Buffer.from(`libraries for ${architecture}`), description: 'libraries' },
      { archive: Buffer.from(app), description: app },
    ],
    config: { User: '65532:65532' },
  }));
const names = { repository: 'holdfast/one', tag: '0.1.0', annotations: { title: 'one' } };

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Document {
  readonly manifests?: readonly Descriptor[];
  readonly layers?: readonly Descriptor[];
  readonly config?: Descriptor;
}

/** Every descriptor that can be reached from index.json, each with its blob. */
function reachable(layout: string): readonly (Descriptor & { readonly blob: Buffer })[] {
  const follow = ({ manifests = [], layers = [], config }: Document): ReturnType<typeof reachable> =>
    [...manifests, ...layers, ...(config?.digest === undefined ? [] : [config])].flatMap((descriptor) => {
      const blob = readFileSync(join(layout, 'blobs', descriptor.digest.replace(':', '/')));
      const deeper = /(index|manifest)\.v1\+json$/.test(descriptor.mediaType)
        ? follow(JSON.parse(blob.toString()) as Document)
        : [];
      return [{ ...descriptor, blob }, ...deeper];
    });
  return follow(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as Document);
}

describe('OCI layout', () => {
  test('two platforms -> every descriptor has the true digest and size, and no blob is without one', () => {
    const layout = join(folder, 'one');
    createLayoutWriter()(layout, imagesOf('one'), names);
    const found = reachable(layout);
    // An index, two manifests, and for each a configuration, libraries and the app.
    expect(found).toHaveLength(9);
    for (const { digest, size, blob } of found) {
      expect([`sha256:${createHash('sha256').update(blob).digest('hex')}`, blob.length]).toEqual([
        digest,
        size,
      ]);
    }
    const blobs = readdirSync(join(layout, 'blobs/sha256')).map((name) => `sha256:${name}`);
    expect(new Set(blobs)).toEqual(new Set(found.map(({ digest }) => digest)));
    expect(JSON.parse(readFileSync(join(layout, 'oci-layout'), 'utf8'))).toEqual({
      imageLayoutVersion: '1.0.0',
    });
  });

  test('uncompressed layers -> their digests are those of the contents that the configuration names', () => {
    const layout = join(folder, 'one');
    createLayoutWriter()(layout, imagesOf('one'), names);
    const found = reachable(layout);
    for (const { blob } of found.filter(({ mediaType }) => mediaType.endsWith('manifest.v1+json'))) {
      const { config, layers = [] } = JSON.parse(blob.toString()) as Document;
      const configuration = found.find(({ digest }) => digest === config?.digest)?.blob.toString() ?? '';
      expect(JSON.parse(configuration)).toMatchObject({
        os: 'linux',
        config: { User: '65532:65532' },
        rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
      });
    }
  });

  test('the same images twice, under other names -> one digest', () => {
    const first = createLayoutWriter()(join(folder, 'first'), imagesOf('one'), names);
    const second = createLayoutWriter()(join(folder, 'second'), imagesOf('one'), {
      ...names,
      repository: 'registry.example.com/storage/one',
    });
    expect(second).toBe(first);
  });

  test('a changed app -> another digest; the layers that did not change are the same blobs', () => {
    const write = createLayoutWriter();
    const [first, second] = ['one', 'two'].map((app) => write(join(folder, app), imagesOf(app), names));
    expect(second).not.toBe(first);
    const blobs = (app: string): readonly string[] => readdirSync(join(folder, app, 'blobs/sha256'));
    const shared = blobs('one').filter((name) => blobs('two').includes(name));
    expect(
      shared.map((name) => readFileSync(join(folder, 'two/blobs/sha256', name), 'utf8')).toSorted(),
    ).toEqual(['libraries for amd64', 'libraries for arm64']);
  });

  test('an older layout in the folder -> nothing of it is left', () => {
    createLayoutWriter()(join(folder, 'one'), imagesOf('older'), names);
    createLayoutWriter()(join(folder, 'one'), imagesOf('one'), names);
    expect(readdirSync(join(folder, 'one/blobs/sha256'))).toHaveLength(
      reachable(join(folder, 'one')).length - 1,
    );
  });

  test.each([
    ['holdfast/one', 'docker.io/holdfast/one:0.1.0'],
    ['registry.example.com/one', 'registry.example.com/one:0.1.0'],
    ['localhost/one', 'localhost/one:0.1.0'],
    ['registry:5000/one', 'registry:5000/one:0.1.0'],
  ])('repository %s -> loaded as %s, the name by which a kubelet asks for it', (repository, name) => {
    createLayoutWriter()(join(folder, 'one'), imagesOf('one'), { ...names, repository });
    expect(reachable(join(folder, 'one'))[0]?.annotations).toEqual({
      'io.containerd.image.name': name,
      'org.opencontainers.image.ref.name': '0.1.0',
    });
  });
});

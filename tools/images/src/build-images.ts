import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appLayer } from './app-layer.ts';
import { baseLayer, nonroot } from './base-layer.ts';
import { packagesOf } from './bundled-packages.ts';
import { readDebianLock } from './debian-lock.ts';
import { openDebianPackage } from './debian-package.ts';
import { getNode, type NodePackage } from './node-package.ts';
import { architectures, createLayoutWriter, type Architecture, type Layer } from './oci-layout.ts';
import { run } from './run.ts';
import { billOfMaterials } from './sbom.ts';
import { writeTar, type TarEntry } from './tar.ts';

export interface BuildOptions {
  /**
   * The root of the repository, which must be the working directory, because the paths in the bundles are
   * relative to it.
   */
  readonly root: string;
  /** The names of folders in `apps`. */
  readonly apps: readonly string[];
  /** The folder that gets a folder with each app's layout. */
  readonly output: string;
  /** The folder that caches downloaded packages. */
  readonly packages: string;
  /** What precedes the app's name in the name of its image. */
  readonly repository: string;
  /** The commit from which the images are built, for their labels; undefined to leave it out. */
  readonly revision: string | undefined;
}

export interface BuiltImage {
  readonly app: string;
  readonly folder: string;
  /** The digest of the image index, by which a registry identifies it. */
  readonly digest: string;
  /** The bytes of all layers of one image. */
  readonly sizes: Readonly<Record<Architecture, number>>;
}

/** What all apps share on one architecture. */
interface Platform {
  readonly node: NodePackage;
  readonly layers: readonly Layer[];
}

/**
 * Builds an image for each app, as an OCI layout with an image for each architecture.
 *
 * @throws UnavailableError if a package cannot be obtained
 */
export async function buildImages(options: BuildOptions): Promise<readonly BuiltImage[]> {
  const { root, apps, packages } = options;
  await run(process.execPath, [
    'tools/bundle/src/main.ts',
    '--if-changed',
    ...apps.map((app) => `apps/${app}`),
  ]);
  const platforms: { architecture: Architecture; platform: Platform }[] = [];
  for (const architecture of architectures) {
    platforms.push({ architecture, platform: await makePlatform(root, packages, architecture) });
  }
  const integrities = readIntegrities(root);
  const debian = readDebianLock();
  const license = readFileSync(join(root, 'LICENSE'));
  const notice = readFileSync(join(root, 'NOTICE'));
  const writeLayout = createLayoutWriter();

  return apps.map((name) => {
    const { version, description } = JSON.parse(
      readFileSync(join(root, 'apps', name, 'package.json'), 'utf8'),
    ) as { readonly version: string; readonly description: string };
    const app = { name, version, description };
    const bundlePath = join(root, 'apps', name, 'dist/main.js');
    const bundle = readFileSync(bundlePath);
    const files = JSON.parse(readFileSync(`${bundlePath}.files.json`, 'utf8')) as readonly string[];
    const bundled = packagesOf(root, `apps/${name}`, files);
    const annotations = annotationsOf(app, options.revision);

    const images = platforms.map(({ architecture, platform }) => {
      const sbom = billOfMaterials({ app, architecture, bundled, node: platform.node, debian, integrities });
      const own = layer(`${name} ${version}`, appLayer({ name, bundle, sbom, license, notice, bundled }));
      return { architecture, layers: [...platform.layers, own], config: configOf(annotations) };
    });
    const folder = join(options.output, name);
    const digest = writeLayout(folder, images, {
      repository: `${options.repository}/${name}`,
      tag: version,
      annotations,
    });
    const sizes = Object.fromEntries(
      images.map(({ architecture, layers }) => [
        architecture,
        layers.reduce((sum, { archive }) => sum + archive.length, 0),
      ]),
    ) as Record<Architecture, number>;
    return { app: name, folder, digest, sizes };
  });
}

/** How the image is run unless a manifest overrides it. The manifests in `deploy/` say the same. */
function configOf(labels: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return {
    User: `${nonroot}:${nonroot}`,
    Env: ['PATH=/usr/local/bin', 'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt'],
    Entrypoint: ['node', '/app/main.js'],
    WorkingDir: '/app',
    StopSignal: 'SIGTERM',
    Labels: labels,
  };
}

function annotationsOf(
  app: { readonly name: string; readonly version: string; readonly description: string },
  revision: string | undefined,
): Readonly<Record<string, string>> {
  const prefix = 'org.opencontainers.image';
  return {
    [`${prefix}.title`]: app.name,
    [`${prefix}.description`]: app.description,
    [`${prefix}.version`]: app.version,
    [`${prefix}.licenses`]: 'Apache-2.0',
    [`${prefix}.vendor`]: 'The Holdfast Authors',
    ...(revision === undefined ? {} : { [`${prefix}.revision`]: revision }),
  };
}

async function makePlatform(root: string, packages: string, architecture: Architecture): Promise<Platform> {
  const { packages: locked, suite } = readDebianLock();
  const fitting = locked.filter((each) => each.architecture === architecture || each.architecture === 'all');
  const opened = await Promise.all(
    fitting.map(async (each) => [each.name, await openDebianPackage(packages, each)] as const),
  );
  const node = await getNode(root, packages, architecture);
  return {
    node,
    layers: [
      layer(`libraries of Debian ${suite}`, baseLayer(Object.fromEntries(opened))),
      layer(`Node ${node.version}`, [
        { kind: 'file', path: 'usr/local/bin/node', mode: 0o755, content: node.binary },
        { kind: 'file', path: 'usr/share/doc/node/LICENSE', mode: 0o644, content: node.license },
      ]),
    ],
  };
}

const layer = (description: string, entries: readonly TarEntry[]): Layer => ({
  archive: writeTar(entries),
  description,
});

function readIntegrities(root: string): Readonly<Record<string, string>> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  return Object.fromEntries(
    Object.entries(packages).flatMap(([folder, { integrity }]) =>
      integrity === undefined ? [] : [[folder, integrity]],
    ),
  );
}

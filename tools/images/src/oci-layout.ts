import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The architectures for which images are built, by OCI's names. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** A tar archive with a description. */
export interface Layer {
  readonly archive: Buffer;
  readonly description: string;
}

/** One image: its layers from the bottom up, and how it is run (`config` of the OCI image configuration). */
export interface Image {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
  readonly config: Readonly<Record<string, unknown>>;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const types = {
  layer: 'application/vnd.oci.image.layer.v1.tar',
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
};

const created = new Date(0).toISOString();

/** Creates a writer of OCI image layouts (image-spec 1.1). Layouts share common blobs by hard links. */
export function createLayoutWriter(): (
  folder: string,
  images: readonly Image[],
  names: ImageNames,
) => string {
  const written = new Map<string, string>();
  const digests = new Map<Buffer, string>();

  return (folder, images, { repository, tag, annotations }) => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });

    const add = (mediaType: string, content: Buffer): Descriptor => {
      const digest = digests.get(content) ?? createHash('sha256').update(content).digest('hex');
      digests.set(content, digest);
      const path = join(folder, 'blobs/sha256', digest);
      const elsewhere = written.get(digest);
      if (elsewhere === undefined) {
        writeFileSync(path, content);
      } else if (!existsSync(path)) {
        linkOrCopy(elsewhere, path);
      }
      written.set(digest, path);
      return { mediaType, digest: `sha256:${digest}`, size: content.length };
    };

    const manifests = images.map(({ architecture, layers, config }) => {
      const descriptors = layers.map(({ archive }) => add(types.layer, archive));
      const configuration = {
        created,
        architecture,
        os: 'linux',
        config,
        // A layer is not compressed, so its digest is also that of its contents.
        rootfs: { type: 'layers', diff_ids: descriptors.map(({ digest }) => digest) },
        history: layers.map(({ description }) => ({ created, created_by: description })),
      };
      const manifest = {
        schemaVersion: 2,
        mediaType: types.manifest,
        config: add(types.config, json(configuration)),
        layers: descriptors,
        annotations,
      };
      return { ...add(types.manifest, json(manifest)), platform: { architecture, os: 'linux' } };
    });
    const index = add(
      types.index,
      json({ schemaVersion: 2, mediaType: types.index, manifests, annotations }),
    );
    const named = {
      ...index,
      annotations: {
        'io.containerd.image.name': `${fullName(repository)}:${tag}`,
        'org.opencontainers.image.ref.name': tag,
      },
    };
    writeFileSync(
      join(folder, 'index.json'),
      json({ schemaVersion: 2, mediaType: types.index, manifests: [named] }),
    );
    writeFileSync(join(folder, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
    return index.digest;
  };
}

/** The name of an image once it is loaded. Its digest does not depend on repository and tag. */
export interface ImageNames {
  /** For example `registry.example.com/holdfast/pvc-protection`. */
  readonly repository: string;
  readonly tag: string;
  /** The annotations of the manifests and of their index. */
  readonly annotations: Readonly<Record<string, string>>;
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Completes a name without a registry as kubelet and containerd do. */
function fullName(repository: string): string {
  const [first = ''] = repository.split('/');
  return /[.:]|^localhost$/.test(first) ? repository : `docker.io/${repository}`;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Not every file system supports hard links.
    copyFileSync(from, to);
  }
}

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBinaries } from '@holdfast/testing';
import { dump, loadAll } from 'js-yaml';

/** The folder of manifests. */
export const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));

/** An object of a manifest, as far as the tests look at it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }[];
  readonly webhooks?: readonly {
    readonly clientConfig: { readonly service: { readonly name: string; readonly namespace?: string } };
  }[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** What a user's own kustomization says. Paths are below `deploy/`. */
export interface Overlay {
  readonly resources: readonly string[];
  readonly components?: readonly string[];
  readonly namespace?: string;
  readonly nameSuffix?: string;
  readonly labels?: readonly object[];
  readonly images?: readonly { readonly name: string; readonly newTag: string }[];
  readonly patches?: readonly { readonly target?: object; readonly patch: string }[];
  readonly configMapGenerator?: readonly object[];
  readonly replacements?: readonly object[];
}

/** Writes a user's own kustomization into a new folder beside the repository, which it answers. */
export async function writeOverlay(parent: string, content: Overlay): Promise<string> {
  const own = join(parent, crypto.randomUUID());
  await mkdir(own);
  const there = (path: string): string => relative(own, join(deploy, path));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    ...content,
    resources: content.resources.map(there),
    components: (content.components ?? []).map(there),
  };
  await writeFile(join(own, 'kustomization.yaml'), dump(kustomization));
  return own;
}

/** Why there is no kubectl, with the kustomize that is part of it, and how to get one; undefined where there is. */
export function kubectlMissing(): string | undefined {
  const found = findBinaries({ needed: ['kubectl'] });
  return found.found ? undefined : found.reason;
}

/** What kustomize makes of a folder. Needs no API server. */
export async function build(folder: string): Promise<readonly Manifest[]> {
  const found = findBinaries({ needed: ['kubectl'] });
  if (!found.found) {
    throw new Error(found.reason);
  }
  const kubectl = join(found.folder, 'kubectl');
  const { stdout } = await promisify(execFile)(kubectl, ['kustomize', folder], { maxBuffer: 2 ** 24 });
  return loadAll(stdout) as Manifest[];
}

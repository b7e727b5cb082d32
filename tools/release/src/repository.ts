import type { Manifest, Repository } from './manifest.ts';

/** Returns the `repository` field of a package, derived from that of the root's package.json. */
export function repositoryOf(root: Repository, directory: string): Repository {
  return { type: root.type, url: root.url, directory };
}

/**
 * Returns why a package must not be published; undefined if it may. Before npm signs a provenance, it
 * compares `repository` with where the package was built, and users follow it to the source, so a wrong value
 * is worse than none.
 *
 * @param directory folder of the package in the repository, with slashes
 */
export function whyNotPublished(root: Manifest, manifest: Manifest, directory: string): string | undefined {
  const { name, repository } = manifest;
  if (root.repository === undefined) {
    return `${name} is not published: package.json of the root has no "repository"; name there where the source can be had, then run "npm run release"`;
  }
  const expected = repositoryOf(root.repository, directory);
  if (
    repository?.type !== expected.type ||
    repository.url !== expected.url ||
    repository.directory !== directory
  ) {
    return `${name} is not published: its "repository" is ${repository === undefined ? 'not set' : JSON.stringify(repository)}, and would be ${JSON.stringify(expected)} by package.json of the root; "npm run release" sets it`;
  }
  return undefined;
}

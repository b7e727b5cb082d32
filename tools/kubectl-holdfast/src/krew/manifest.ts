/** The archive that a release has published. */
export interface KrewArchive {
  /** The version as in package.json, `0.1.0`. */
  readonly version: string;
  /** The address of the archive, which serves all platforms and contains `main.js` and LICENSE. */
  readonly uri: string;
  /** The checksum of the archive, in hexadecimal. */
  readonly sha256: string;
  /** The page where people can read about it. */
  readonly homepage: string;
}

/**
 * The manifest by which krew installs the plugin as `kubectl holdfast`. It excludes Windows, which cannot
 * start a script by its first line.
 */
export function krewManifest({ version, uri, sha256, homepage }: KrewArchive) {
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'holdfast' },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: 'Why storage is still there, and what will go',
      description: [
        'Says who holds a claim or volume that is Terminating, and what happens next;',
        'which claims go, and for how long that can be undone, when a StatefulSet is',
        'scaled or deleted; which volumes leak storage; and whether the controllers of',
        'Holdfast are needed in a cluster, and at work. It is of use without them, too.',
        '',
      ].join('\n'),
      caveats: [
        'This plugin needs Node 22.19 or later as "node" in the PATH.',
        'For completion in your shell:',
        '  kubectl holdfast completion > ~/.local/bin/kubectl_complete-holdfast',
        '  chmod +x ~/.local/bin/kubectl_complete-holdfast',
        '',
      ].join('\n'),
      platforms: [
        {
          selector: {
            matchExpressions: [
              { key: 'os', operator: 'In', values: ['linux', 'darwin'] },
              { key: 'arch', operator: 'In', values: ['amd64', 'arm64'] },
            ],
          },
          uri,
          sha256,
          bin: 'main.js',
        },
      ],
    },
  };
}

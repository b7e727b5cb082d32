/** What a release has made. */
export interface KrewArchive {
  /** As package.json has it, `0.1.0`. */
  readonly version: string;
  /** Where the archive is: one for all platforms, with `main.js` and LICENSE. */
  readonly uri: string;
  /** Of the archive, hexadecimal. */
  readonly sha256: string;
  /** Where people read about it. */
  readonly homepage: string;
}

/** The manifest by which krew installs the plugin as `kubectl holdfast`. Windows can't start a script by its first line. */
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

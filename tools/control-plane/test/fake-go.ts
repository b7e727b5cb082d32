import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryNames } from '@holdfast/testing';

/** A command `go` that answers `go version`, and whose `go build` makes small programs in no time. */
export interface FakeGo {
  /** What a process needs to find this `go` and no other, and to keep its cache apart. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the cache is, given `env`. */
  readonly cache: string;
  /** Where the cache of tools is. */
  readonly toolsCache: string;
  /** The pid of each `go build` that was started, oldest first. */
  builds(): Promise<readonly number[]>;
  /** Lets the builds that wait go on. */
  openGate(): Promise<void>;
}

export interface FakeGoOptions {
  /** Default 1.26.8. */
  readonly version?: string;
  /** Whether builds wait for `openGate`; default false. */
  readonly gated?: boolean;
  /** What a build writes to stderr before it ends with exit code 1; default none, and it succeeds. */
  readonly failure?: string;
  /** The programs that a build into a folder makes; default all. */
  readonly makes?: readonly string[];
}

export async function fakeGo(folder: string, options: FakeGoOptions = {}): Promise<FakeGo> {
  const { version = '1.26.8', gated = false, failure, makes = binaryNames } = options;
  const log = join(folder, 'builds');
  const gate = join(folder, 'gate');
  const bin = join(folder, 'bin');
  const script = `#!${process.execPath}
const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
if (args[0] === 'version') {
  console.log('go version go${version} linux/amd64');
} else {
  appendFileSync(${JSON.stringify(log)}, process.pid + '\\n');
  const out = args[args.indexOf('-o') + 1];
  const make = () => {
    if (${gated} && !existsSync(${JSON.stringify(gate)})) return setTimeout(make, 10);
    for (const file of out.endsWith('/') ? ${JSON.stringify(makes)}.map((name) => out + name) : [out]) {
      writeFileSync(file, '#!/bin/sh\\necho Kubernetes v9.9.9\\n', { mode: 0o755 });
    }
    const failure = ${JSON.stringify(failure ?? null)};
    if (failure !== null) {
      console.error(failure);
      process.exitCode = 1;
    }
  };
  make();
}
`;
  await mkdir(bin);
  await writeFile(join(bin, 'go'), script, { mode: 0o755 });
  await writeFile(log, '');
  return {
    env: { PATH: bin, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') },
    cache: join(folder, 'cache', 'holdfast', 'control-plane'),
    toolsCache: join(folder, 'cache', 'holdfast', 'tools'),
    builds: async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean).map(Number),
    openGate: () => writeFile(gate, ''),
  };
}

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

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export async function fakeGo(folder: string, options: FakeGoOptions = {}): Promise<FakeGo> {
  const { version = '1.26.8', gated = false, failure, makes = binaryNames } = options;
  const log = join(folder, 'builds');
  const gate = join(folder, 'gate');
  const bin = join(folder, 'bin');
  // A shell starts in a tenth of the time of Node. PATH has nothing but this command.
  const script = `#!/bin/sh
if [ "$1" = version ]; then
  echo 'go version go${version} linux/amd64'
  exit
fi
echo $$ >> ${quoted(log)}
while [ $# -gt 0 ] && [ "$1" != -o ]; do shift; done
out=$2
while ${gated ? `[ ! -e ${quoted(gate)} ]` : 'false'}; do /bin/sleep 0.02; done
case "$out" in
  */) set -- ${makes.map((name) => `"$out"${quoted(name)}`).join(' ')} ;;
  *) set -- "$out" ;;
esac
for file; do
  printf '#!/bin/sh\\necho Kubernetes v9.9.9\\n' > "$file"
done
/bin/chmod 755 "$@"
${failure === undefined ? '' : `echo ${quoted(failure)} >&2; exit 1`}
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

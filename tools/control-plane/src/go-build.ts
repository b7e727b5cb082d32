import { dirname, join } from 'node:path';
import { binaryNames, controlPlaneCacheFolder, type Environment } from '@holdfast/testing/binaries';
import { kubernetesStamps } from './kubernetes-stamps.ts';
import type { Release } from './releases.ts';
import type { ToolSet, ToolSetName } from './tool-sets.ts';

/** What one run of `go build` makes, and all that it is made from. */
export interface GoBuild {
  /** Of its entry in the cache. */
  readonly name: string;
  /** As in `building Kubernetes 1.36.3`. */
  readonly title: string;
  /** What there is afterwards, by the names of the executable files, without `.exe`. */
  readonly programs: readonly string[];
  /** Where go runs: inside the module. */
  readonly folder: string;
  /** The files below `folder` that it is made from; everything else comes from modules that these pin. */
  readonly sources: readonly string[];
  /** The arguments of `go`, without `-o` and what to build. */
  readonly arguments: readonly string[];
  /** What to build, as go names packages. */
  readonly packages: readonly string[];
  /** Whether each package is built by itself, to the program at its place in `programs`; default false. */
  readonly oneByOne?: boolean;
  /** The oldest Go, `major.minor`, that its modules admit. */
  readonly minimumGo: `${number}.${number}`;
  /** What the first build takes, for who waits. */
  readonly effort: string;
  /** What can be done without Go. */
  readonly otherWay: string;
}

/** The Go modules of this repository. */
const defaultGoFolder = join(import.meta.dirname, '..', 'go');

/** etcd, kube-apiserver, kube-controller-manager and kubectl. */
export function kubernetesBuild(release: Release, goFolder: string = defaultGoFolder): GoBuild {
  const module = `kubernetes-${release.name}`;
  return {
    name: release.name,
    title: `Kubernetes ${release.version.slice(1)}`,
    programs: binaryNames,
    folder: goFolder,
    sources: [
      'go.mod',
      `${module}.mod`,
      `${module}.sum`,
      ...binaryNames.map((name) => `cmd/${name}/main.go`),
    ],
    arguments: goArguments({
      modfile: `${module}.mod`,
      stamps: kubernetesStamps(release.version),
    }),
    packages: ['./cmd/...'],
    minimumGo: release.minimumGo,
    effort: 'some ten minutes and gigabytes of Go’s caches the first time, a minute after that',
    otherWay: 'set KUBEBUILDER_ASSETS to a folder with the binaries',
  };
}

/** Programs that check what is made here: the tools of a Go module of their own. */
export function toolBuild(tools: ToolSet, goFolder: string = defaultGoFolder): GoBuild {
  return {
    name: tools.name,
    title: `${tools.name} ${tools.version.slice(1)}`,
    programs: tools.programs,
    folder: goFolderOf(tools.name, goFolder),
    sources: ['go.mod', 'go.sum', ...(tools.sources ?? [])],
    arguments: tools.tests === undefined ? goArguments(tools) : testArguments,
    // By default the packages that go.mod names in its tool directives.
    packages: tools.tests ?? ['tool'],
    // Go would name the tests of two packages alike whose paths end alike.
    oneByOne: tools.tests !== undefined,
    minimumGo: '1.26',
    effort: tools.effort,
    otherWay: 'do without what it checks',
  };
}

/** Where the module of a set of tools is. */
export function goFolderOf(tools: ToolSetName, goFolder: string = defaultGoFolder): string {
  return join(goFolder, 'tools', tools);
}

/** The environment that go runs in. */
export function goEnvironment(env: Environment): NodeJS.ProcessEnv {
  return {
    ...env,
    CGO_ENABLED: '0',
    // The Go that is here is checked and used; it shall not fetch another one by itself.
    GOTOOLCHAIN: 'local',
    // A workspace file in a folder above would make -modfile an error.
    GOWORK: 'off',
  };
}

/** Tests find their data by where their sources are, so that paths are not trimmed. Others' code is not vetted. */
const testArguments = ['test', '-c', '-vet=off', '-mod=readonly', '-ldflags', '-s -w'];

/** Where built tools are kept, beside the control planes. */
export function toolsCacheFolder(env?: Environment): string {
  return join(dirname(controlPlaneCacheFolder(env)), 'tools');
}

interface GoOptions {
  readonly modfile?: string;
  readonly tags?: readonly string[];
  /** Variables that are set when the program is linked. */
  readonly stamps: Readonly<Record<string, string>>;
}

function goArguments({ modfile, tags = [], stamps }: GoOptions): readonly string[] {
  return [
    'build',
    // Names each package as it is compiled, which is the progress shown.
    '-v',
    '-mod=readonly',
    ...(modfile === undefined ? [] : [`-modfile=${modfile}`]),
    '-trimpath',
    ...(tags.length === 0 ? [] : ['-tags', tags.join(',')]),
    '-ldflags',
    ['-s', '-w', ...Object.entries(stamps).flatMap(([name, value]) => ['-X', `${name}=${value}`])].join(' '),
  ];
}

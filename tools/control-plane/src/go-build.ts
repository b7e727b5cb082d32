import { dirname, join } from 'node:path';
import { binaryNames, controlPlaneCacheFolder, type Environment } from '@holdfast/testing/binaries';
import { kubernetesStamps } from './kubernetes-stamps.ts';
import type { Release } from './releases.ts';
import type { ToolSet, ToolSetName } from './tool-sets.ts';

/** What one run of `go build` produces, and everything that it depends on. */
export interface GoBuild {
  /** The name of its entry in the cache. */
  readonly name: string;
  /** For messages such as `building Kubernetes 1.36.3`. */
  readonly title: string;
  /** The programs that it produces, by the names of the executable files, without `.exe`. */
  readonly programs: readonly string[];
  /** The folder to run go in, which is inside the module. */
  readonly folder: string;
  /**
   * The files below `folder` on which it depends. Everything else comes from modules that these files pin.
   */
  readonly sources: readonly string[];
  /** The arguments of `go`, without `-o` and the packages. */
  readonly arguments: readonly string[];
  /** The packages to build, as go names them. */
  readonly packages: readonly string[];
  /**
   * Whether each package is built separately, into the program at the same place in `programs`; default
   * false.
   */
  readonly oneByOne?: boolean;
  /** The oldest Go, `major.minor`, that its modules accept. */
  readonly minimumGo: `${number}.${number}`;
  /** How long the first build takes, and what it needs, for users who wait for it. */
  readonly effort: string;
  /** What can be done without Go. */
  readonly otherWay: string;
}

/** The folder of the Go modules of this repository. */
const defaultGoFolder = join(import.meta.dirname, '..', 'go');

/** Builds etcd, kube-apiserver, kube-controller-manager and kubectl. */
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

/** Builds the programs that check this repository's own output: the tools of a separate Go module. */
export function toolBuild(tools: ToolSet, goFolder: string = defaultGoFolder): GoBuild {
  return {
    name: tools.name,
    title: `${tools.name} ${tools.version.slice(1)}`,
    programs: tools.programs,
    folder: goFolderOf(tools.name, goFolder),
    sources: ['go.mod', 'go.sum', ...(tools.sources ?? [])],
    arguments: tools.tests === undefined ? goArguments(tools) : testArguments,
    // By default builds the packages that go.mod names in its tool directives.
    packages: tools.tests ?? ['tool'],
    // Go would give tests of packages whose paths end alike the same name.
    oneByOne: tools.tests !== undefined,
    minimumGo: '1.26',
    effort: tools.effort,
    otherWay: 'do without what it checks',
  };
}

/** Returns the folder with the module of a set of tools. */
export function goFolderOf(tools: ToolSetName, goFolder: string = defaultGoFolder): string {
  return join(goFolder, 'tools', tools);
}

/** The environment to run go in. */
export function goEnvironment(env: Environment): NodeJS.ProcessEnv {
  return {
    ...env,
    CGO_ENABLED: '0',
    // Uses the installed Go, whose version is checked: it must not download another one by itself.
    GOTOOLCHAIN: 'local',
    // A workspace file in a parent folder would make -modfile an error.
    GOWORK: 'off',
  };
}

/**
 * Tests find their data by the paths of their sources, so paths are not trimmed. Other projects' code is not
 * vetted.
 */
const testArguments = ['test', '-c', '-vet=off', '-mod=readonly', '-ldflags', '-s -w'];

/** Returns the folder of the built tools, which is next to the control planes. */
export function toolsCacheFolder(env?: Environment): string {
  return join(dirname(controlPlaneCacheFolder(env)), 'tools');
}

interface GoOptions {
  readonly modfile?: string;
  readonly tags?: readonly string[];
  /** Variables that are set at link time. */
  readonly stamps: Readonly<Record<string, string>>;
}

function goArguments({ modfile, tags = [], stamps }: GoOptions): readonly string[] {
  return [
    'build',
    // Prints the name of each package as it is compiled, which is shown as progress.
    '-v',
    '-mod=readonly',
    ...(modfile === undefined ? [] : [`-modfile=${modfile}`]),
    '-trimpath',
    ...(tags.length === 0 ? [] : ['-tags', tags.join(',')]),
    '-ldflags',
    ['-s', '-w', ...Object.entries(stamps).flatMap(([name, value]) => ['-X', `${name}=${value}`])].join(' '),
  ];
}
